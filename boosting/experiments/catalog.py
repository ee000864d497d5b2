"""The suites by name."""

from __future__ import annotations

from . import adacc_suite, badacost_suite, framework_suite, margin_suite
from .suite import Suite

SUITES: dict[str, Suite] = {
    suite.name: suite
    for suite in (badacost_suite.SUITE, adacc_suite.SUITE, margin_suite.SUITE, framework_suite.SUITE)
}
