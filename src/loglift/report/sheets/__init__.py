"""An evaluation as sheets of figures: the same for terminal and page."""
