"""What a sample proves about the population it comes from: exact confidence bounds on lifts."""
