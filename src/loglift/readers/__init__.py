"""What readers can do with a release, and what an attacker can; statistics on arrays."""
