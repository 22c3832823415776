"""Guarded pipelines as plain data: what the host saves and loads."""

from typing import Any

from albumentations.core.serialization import Serializable

from safeaug.albumentations.pipeline.guard import guarded
from safeaug.albumentations.pipeline.root import STORED
from safeaug.albumentations.reading import Reading
from safeaug.policy import Policy


class Stored(Serializable):  # type: ignore[misc]  # the host ships no types
    """What the host finds under the name that a guarded pipeline is saved by; made anew, it is that pipeline.

    Examples
    --------
    >>> import albumentations as A, safeaug
    >>> saved = A.to_dict(safeaug.guard(A.Compose([A.RandomCrop(8, 8)]), min_retention=0.7))
    >>> saved["transform"]["__class_fullname__"], saved["transform"]["min_retention"]
    ('safeaug.guard', 0.7)
    >>> A.from_dict(saved).report()
    {'pipeline': {}, '0 RandomCrop': {}}
    """

    def __new__(
        cls,
        transforms: list[Any],
        p: float,
        *,
        move_fixed: bool,
        repair_randomness: bool,
        report_key: str | None,
        **promise: Any,
    ) -> Any:
        """Return the guarded pipeline."""
        (pipeline,) = transforms
        reading = {name: promise.pop(name) for name in Reading._fields}
        return guarded(
            pipeline,
            Policy(**promise),
            reading,
            move_fixed=move_fixed,
            repair_randomness=repair_randomness,
            report_key=report_key,
        )

    @classmethod
    def is_serializable(cls) -> bool:
        """Return whether the host knows the class by its name."""
        return True

    @classmethod
    def get_class_fullname(cls) -> str:
        """Return that name."""
        return STORED

    def to_dict_private(self) -> dict[str, Any]:
        """Return nothing: there are no instances."""
        raise NotImplementedError
