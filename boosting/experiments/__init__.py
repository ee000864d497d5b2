"""The tabular papers' experiments: data sets, suites of methods, a resumable runner, reports."""
