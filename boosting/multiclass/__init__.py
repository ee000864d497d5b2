"""Boosters of several classes and any cost matrix."""
