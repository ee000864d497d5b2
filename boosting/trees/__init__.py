"""Decision trees and stumps: growing them on binned features, and the classifiers around them."""
