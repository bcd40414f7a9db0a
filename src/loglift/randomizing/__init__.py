"""Randomizing: the best channel p(y|x) within a bound, by column generation, with a proof."""
