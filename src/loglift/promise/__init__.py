"""Promise: what every released block must meet."""
