"""Why a release keeps no more: which limits bind, what they cost, and what would help."""
