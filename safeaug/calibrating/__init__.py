"""What guarding by maps is worth: judged by objects that the guard never sees.

crops.py      Crops: the windows on which maps are tried, those of a random resized crop; a host of the search
agreement.py  how well a map ranks cells with an object above cells without
trial.py      the draws of one picture: unguarded, guarded by each map, area-matched, guarded by the objects themselves
gain.py       what is gained over the area-matched draws, and how sure that is
calibration.py  what all of them come to: of all objects, by area, by class
overall.py    calibrate(): the same for the pictures of a data set
"""

from safeaug.calibrating.calibration import Calibration
from safeaug.calibrating.crops import Crops
from safeaug.calibrating.overall import calibrate

__all__ = ["Calibration", "Crops", "calibrate"]
