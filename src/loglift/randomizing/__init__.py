"""The best randomized release: posteriors in a polytope, by column generation, with a proof."""
