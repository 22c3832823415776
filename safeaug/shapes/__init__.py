"""What an object covers, where it is more than a box: how much of it a window holds.

Every kind is a mass spread over the image: a box's, a polygon's and a mask's is its area, that of keypoints their
number. So one inequality judges all of them, and one exact count, over the surface of the masses of all windows of a
size, places them.

shape.py    Shape: what is asked of a kind
boxed.py    Boxed, Spot: a box, and one without area
region.py   Region: a mask, whole or soft
polygon.py  Polygon: a ring of corners, and the exact share of every pixel that it covers
points.py   Points: the visible keypoints of one instance
salience.py Salience: a map of what matters, in cells over the whole image
ranked.py   Ranked: the same as windows of one size are ranked by it
"""

from safeaug.shapes.boxed import Boxed, Spot, boxed
from safeaug.shapes.points import Points, points_of
from safeaug.shapes.polygon import Polygon, polygon_of
from safeaug.shapes.ranked import Axis, Ranked, ranked_of, threshold_within, thresholds_of
from safeaug.shapes.region import Region, map_of, region_of
from safeaug.shapes.salience import Salience, salience_of
from safeaug.shapes.shape import Shape

__all__ = [
    "Axis",
    "Boxed",
    "Points",
    "Polygon",
    "Ranked",
    "Region",
    "Salience",
    "Shape",
    "Spot",
    "boxed",
    "map_of",
    "points_of",
    "polygon_of",
    "ranked_of",
    "region_of",
    "salience_of",
    "threshold_within",
    "thresholds_of",
]
