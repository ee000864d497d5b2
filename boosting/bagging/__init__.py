"""Ensembles whose members are trained on samples of the rows, independently of one another."""
