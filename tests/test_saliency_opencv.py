"""The spectral residual against OpenCV's, which is in opencv-contrib-python-headless alone.

That package and opencv-python-headless write the same files and cannot be installed side by side, so this runs in an
environment of its own: contrib, numpy, scipy, scikit-image, pytest, hypothesis, and safeaug.
"""

import numpy as np
import pytest

from safeaug.saliency import saliency_map

cv2 = pytest.importorskip("cv2")
if not hasattr(cv2, "saliency"):
    pytest.skip("cv2 has no `saliency`: only opencv-contrib has, which excludes opencv", allow_module_level=True)

from tests.saliency_worlds import PHOTOS, photo  # noqa: E402


def opencv(image):
    pixels = image if image.ndim == 2 else np.ascontiguousarray(image[..., ::-1])
    found, values = cv2.saliency.StaticSaliencySpectralResidual_create().computeSaliency(pixels)
    assert found
    return values


def correlation(a, b):
    return np.corrcoef(a.ravel(), b.ravel())[0, 1]


@pytest.mark.parametrize("name", PHOTOS)
def test_it_is_opencv_s_on_photographs_of_as_many_pixels_as_the_map(name):
    """OpenCV looks at 64 x 64 pixels, so there neither has to shrink the picture."""
    small = cv2.resize(photo(name), (64, 64), interpolation=cv2.INTER_AREA)
    assert correlation(saliency_map(small, "spectral_residual", size=64), opencv(small)) >= 0.95


def test_on_whole_photographs_it_is_opencv_s_but_for_how_that_shrinks_them():
    """OpenCV takes every n-th pixel, so that fine texture turns into waves that are not there; we take means."""
    found = []
    for name in PHOTOS:
        theirs = cv2.resize(opencv(photo(name)), (64, 64), interpolation=cv2.INTER_AREA)
        found.append(correlation(saliency_map(photo(name), "spectral_residual", size=64), theirs))
    assert min(found) >= 0.8
    assert np.median(found) >= 0.93
