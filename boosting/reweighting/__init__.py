"""Boosters of two classes that put costs into the weights, the step or the vote."""
