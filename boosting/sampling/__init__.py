"""Boosters that resample the classes each round."""
