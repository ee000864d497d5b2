"""A decision tree whose splits, labels and pruning minimise the cost of errors."""

from __future__ import annotations

from numbers import Real
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_is_fitted

from ..costs import zero_one
from ..trees.binning import bin_features
from ..trees.split_criterion import SplitCriterion
from ..trees.tree import grow_tree, integer_weights
from ..trees.tree_options import DEEPEST, FeatureSampling, TreeOptions
from .combination_rules import Role
from .cost_classifier import CostClassifier
from .node_probabilities import ProbabilityEstimate, Smoothing
from .node_tree import Nodes, NodeTree
from .pruning import prune_by_cost_complexity, prune_by_reduced_cost
from .records import Array, BinnedRows, Cost, Records
from .two_class_data import check_fraction
from .validation_split import split_records

Splitting = Literal["cost", "gini", "entropy"]
Pruning = Literal["reduced cost", "cost complexity"] | None


class CostSensitiveTreeClassifier(CostClassifier):
    """Decision tree that splits by the cost of errors, and may be pruned by it; costs may be of single records.

    A node costs the sum of C_FN of its positive records if it is labelled negative, of C_FP of the negative
    ones if positive, and takes the cheaper label. With ``splitting="gini"`` or ``"entropy"`` and no pruning
    costs play no part: a plain tree with majority labels, as the framework's ensembles are built of.
    `predict_proba` estimates the probability of the classes, whatever they cost. (Section 3.2 of Petrides and
    Verbeke 2021.)

    Parameters
    ----------
    splitting : {"cost", "gini", "entropy"}
        What a split decreases the most: the cost, until no split does so, or an impurity of the classes.
    pruning : {"reduced cost", "cost complexity"} or None
        Make a leaf of each subtree that costs held-out records no less than a leaf there; or take the tree of
        the weakest-link sequence that costs them the least.
    validation_fraction : float in (0, 1)
        Share of the distinct records of either class that is held out for pruning.
    ccp_alpha : float >= 0, optional
        Price of a leaf, to be compared with the mean training cost of a record: chooses from the weakest-link
        sequence without held-out records.
    smoothing : {"laplace", "m-estimation"} or None
        Of the probabilities; see `ProbabilityEstimate`.
    m : float, optional
        Of the m-estimation.
    curtailment : float
        Nodes of fewer records take the probability of an ancestor; 1 is for none.
    max_depth : int
        Number of split levels, 1 to 15.
    max_features : int, float or None
        Number or share of the features that a split chooses from, drawn at random; None is all.
    feature_sampling : {"tree", "parent", "node"}
        How often they are drawn; see `TreeOptions`.
    min_samples_split : int
        A node of fewer distinct records is a leaf.
    max_bins : int or None
        As of `TreeClassifier`.
    cost_fn, cost_fp, pos_label, random_state
        See `CostClassifier`, also for further attributes.

    Attributes
    ----------
    tree_ : NodeTree
    feature_importances_ : (F,) array
    """

    role: Role = "model"

    def __init__(
        self,
        splitting: Splitting = "cost",
        *,
        pruning: Pruning = None,
        validation_fraction: float = 0.25,
        ccp_alpha: float | None = None,
        smoothing: Smoothing = None,
        m: float | None = None,
        curtailment: float = 1,
        max_depth: int = DEEPEST,
        max_features: int | float | None = None,
        feature_sampling: FeatureSampling = "tree",
        min_samples_split: int = 2,
        max_bins: int | None = 256,
        cost_fn: float = 1.0,
        cost_fp: float = 1.0,
        pos_label: Any = None,
        random_state: Any = None,
    ) -> None:
        self.splitting = splitting
        self.pruning = pruning
        self.validation_fraction = validation_fraction
        self.ccp_alpha = ccp_alpha
        self.smoothing = smoothing
        self.m = m
        self.curtailment = curtailment
        self.max_depth = max_depth
        self.max_features = max_features
        self.feature_sampling = feature_sampling
        self.min_samples_split = min_samples_split
        self.max_bins = max_bins
        self.cost_fn = cost_fn
        self.cost_fp = cost_fp
        self.pos_label = pos_label
        self.random_state = random_state

    def decide(self, rows: NDArray[Any], cost_fn: Cost, cost_fp: Cost) -> NDArray[np.bool_]:
        """The labels of the rows' leaves."""
        return np.asarray(self._positive[self.tree_.leaves(rows)])

    def mean_probability(self, rows: NDArray[Any]) -> Array:
        """The estimates of the rows' leaves."""
        return np.asarray(self._probability[self.tree_.leaves(rows)])

    def apply(self, X: ArrayLike) -> Nodes:
        """Number of the leaf (n,) that every row of X (n, F) falls into."""
        return self.tree_.leaves(self._checked_rows(X))

    @property
    def feature_importances_(self) -> Array:
        check_is_fitted(self, "tree_")
        return self.tree_.importances(self.n_features_in_)

    @property
    def counts_costs(self) -> bool:
        """Whether costs play a part in training."""
        return self.splitting == "cost" or self.pruning is not None

    def _fit_records(self, records: Records, random_state: np.random.RandomState) -> None:
        training, validation = records, None
        if self.pruning is not None and self.ccp_alpha is None:
            training, validation = split_records(records, self.validation_fraction, random_state)
        tree = self._grown(training, random_state)
        if self.pruning == "reduced cost" and validation is not None:
            tree = prune_by_reduced_cost(tree, validation)
        elif self.pruning == "cost complexity":
            tree = prune_by_cost_complexity(tree, ccp_alpha=self.ccp_alpha, validation=validation)
        self.tree_ = tree
        self._positive = tree.least_cost_label if self.counts_costs else tree.majority_label
        self._probability = self._estimate().of_nodes(tree)

    def _grown(self, records: Records, random_state: np.random.RandomState) -> NodeTree:
        weights = records.mass
        criterion = SplitCriterion.entropy(2) if self.splitting == "entropy" else SplitCriterion.gini(2)
        costs = weights * records.costs
        if self.splitting == "cost" and costs.any():
            # The cost of a node's best label is the 0|1 error of records that weigh what they cost.
            weights, criterion = costs, SplitCriterion.expected_cost(zero_one(2))
        binned = records.binned or BinnedRows(*bin_features(records.rows, self.max_bins, records.mass))
        generator = np.random.default_rng(random_state.randint(2**31 - 1))
        tree = grow_tree(
            binned.bins,
            records.positive.astype(np.int64),
            integer_weights(weights),
            criterion,
            self._options(),
            generator,
        )
        return NodeTree.of(tree, binned.binner, records)

    def _check_parameters(self) -> None:
        owner = type(self).__name__
        self._check_choice("splitting", "cost", "gini", "entropy")
        self._check_choice("pruning", "reduced cost", "cost complexity", None)
        check_fraction(self, "validation_fraction")
        if self.ccp_alpha is not None:
            if self.pruning != "cost complexity":
                raise ValueError(
                    f"ccp_alpha of {owner} needs pruning='cost complexity', pruning is {self.pruning!r}"
                )
            if not isinstance(self.ccp_alpha, Real) or not 0 <= self.ccp_alpha < np.inf:
                raise ValueError(f"ccp_alpha of {owner} must be finite and >= 0, got {self.ccp_alpha!r}")
        bins = self.max_bins
        whole = isinstance(bins, (int, np.integer)) and not isinstance(bins, bool)
        if bins is not None and not (whole and 2 <= bins <= 256):
            raise ValueError(f"max_bins of {owner} must be an integer from 2 to 256 or None, got {bins!r}")
        self._options()
        self._estimate()

    def _options(self) -> TreeOptions:
        return TreeOptions(
            max_depth=self.max_depth,
            max_features=self.max_features,
            feature_sampling=self.feature_sampling,
            min_samples_split=self.min_samples_split,
        )

    def _estimate(self) -> ProbabilityEstimate:
        return ProbabilityEstimate(self.smoothing, self.m, self.curtailment)
