"""The unifying framework of cost-sensitive ensembles (Petrides and Verbeke 2021), as parts to put together."""
