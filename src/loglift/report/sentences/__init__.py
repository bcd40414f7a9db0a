"""Sentences that state a result. Terminal, page and JSON show these and word none themselves."""
