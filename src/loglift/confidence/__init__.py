"""What a random sample proves about its population: exact confidence bounds on lifts."""
