"""The feature-major matrix of boosting, in memory or in a file."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from badacost.training import feature_matrix
from badacost.training.feature_matrix import assemble


@given(
    sizes=st.lists(st.integers(0, 9), min_size=1, max_size=5),
    n_features=st.integers(1, 6),
    limit=st.sampled_from([1, 10**6]),
    block=st.integers(1, 4),
)
def test_rows_become_columns_in_order(sizes: list[int], n_features: int, limit: int, block: int) -> None:
    random = np.random.default_rng(len(sizes))
    blocks = [random.integers(0, 256, (size, n_features), dtype=np.uint8) for size in [*sizes, 3]]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(feature_matrix, "BLOCK", block)
        matrix = assemble(blocks, memory_limit=limit)
    assert matrix.flags.c_contiguous
    assert matrix.dtype == np.uint8
    assert isinstance(matrix, np.memmap) == (matrix.size > limit)
    np.testing.assert_array_equal(matrix, np.concatenate(blocks).T)


def test_a_matrix_over_the_limit_leaves_no_file_behind(tmp_path: Path) -> None:
    rows = np.arange(200, dtype=np.uint8).reshape(20, 10)
    file = tmp_path / "negatives.npy"
    np.save(file, rows)
    matrix = assemble([rows, np.load(file, mmap_mode="r")], memory_limit=399, folder=tmp_path)
    assert isinstance(matrix, np.memmap)
    np.testing.assert_array_equal(matrix, np.concatenate([rows, rows]).T)
    matrix[0, 0] = 7  # still there, though its file has no name any more
    assert matrix[0, 0] == 7
    assert [path.name for path in tmp_path.iterdir()] == ["negatives.npy"]


def test_a_matrix_at_the_limit_stays_in_memory() -> None:
    rows = np.zeros((20, 10), np.uint8)
    assert not isinstance(assemble([rows], memory_limit=200), np.memmap)


def test_blocks_of_other_features_are_named() -> None:
    with pytest.raises(ValueError, match=r"share their number of features, found \[3, 4\]"):
        assemble([np.zeros((2, 3), np.uint8), np.zeros((2, 4), np.uint8)], memory_limit=100)
