"""What a round of any booster is made of: rows and their weights, weak learners, steps, votes."""
