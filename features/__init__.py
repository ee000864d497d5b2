"""From an image to channels, pyramids of channels, and decorrelating filters.

>>> from badacost.features import ChannelOptions, compute_channels
>>> compute_channels(image, ChannelOptions.badacost())                    # doctest: +SKIP
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .channel_options import ChannelOptions
    from .channels import channels_of_converted, compute_channels
    from .color import convert_color
    from .decorrelation import DecorrelationFilters
    from .gradient import gradient_histogram, gradient_magnitude, gradients
    from .hog_descriptors import fhog, hog
    from .lambdas import estimate_lambdas
    from .padding import pad
    from .pyramid import Pyramid, compute_pyramid, iterate_pyramid
    from .pyramid_levels import PyramidLevel
    from .pyramid_options import PyramidOptions
    from .scales import pyramid_scales
    from .smoothing import convolve_box, convolve_triangle

_HOME = {
    "ChannelOptions": "channel_options",
    "DecorrelationFilters": "decorrelation",
    "Pyramid": "pyramid",
    "PyramidLevel": "pyramid_levels",
    "PyramidOptions": "pyramid_options",
    "channels_of_converted": "channels",
    "compute_channels": "channels",
    "compute_pyramid": "pyramid",
    "convert_color": "color",
    "convolve_box": "smoothing",
    "convolve_triangle": "smoothing",
    "estimate_lambdas": "lambdas",
    "fhog": "hog_descriptors",
    "gradient_histogram": "gradient",
    "gradient_magnitude": "gradient",
    "gradients": "gradient",
    "hog": "hog_descriptors",
    "iterate_pyramid": "pyramid",
    "pad": "padding",
    "pyramid_scales": "scales",
}

__all__ = [
    "ChannelOptions",
    "DecorrelationFilters",
    "Pyramid",
    "PyramidLevel",
    "PyramidOptions",
    "channels_of_converted",
    "compute_channels",
    "compute_pyramid",
    "convert_color",
    "convolve_box",
    "convolve_triangle",
    "estimate_lambdas",
    "fhog",
    "gradient_histogram",
    "gradient_magnitude",
    "gradients",
    "hog",
    "iterate_pyramid",
    "pad",
    "pyramid_scales",
]


def __getattr__(name: str) -> Any:
    """Import a name on first use, so that importing the package compiles and loads nothing."""
    if name in _HOME:
        return getattr(import_module(f".{_HOME[name]}", __name__), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
