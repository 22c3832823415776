"""What the modules for kornia's data keys have in common: a crop of `safeaug.batch` in the host's form of a call."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch
from torch import Tensor

from safeaug.batch.chance import Chance
from safeaug.batch.checks import check_finish, flag_of
from safeaug.batch.crop import Crop
from safeaug.batch.draw import Drawn
from safeaug.batch.first import Host
from safeaug.batch.given import Given
from safeaug.batch.handed import handed
from safeaug.batch.identity import identities
from safeaug.batch.images import Images, images_of
from safeaug.batch.moved import NO_FLOAT64, moved
from safeaug.batch.outcome import BatchOutcome
from safeaug.batch.renderers import smooth
from safeaug.batch.rendering import Finish
from safeaug.errors import PolicyError
from safeaug.kornia.carrying import carried
from safeaug.kornia.entries import entries_of, handed_on, image_in, keys_of
from safeaug.kornia.protected import protected_in, reading_of
from safeaug.kornia.read import values_of
from safeaug.kornia.shared import one_of, spread, united
from safeaug.policy import Policy


class Keyed(Crop):
    """Base of the modules that take kornia's data keys; see `safeaug.kornia.RandomResizedCrop`."""

    __call__: Callable[..., Any]

    def _construct(self, host: Host, given: Mapping[str, Any]) -> None:
        """Take over the law and the arguments of a module's constructor."""
        # What speaks of saliency alone has no part here.
        common = {**Policy().to_dict(), "saliency": "auto", **given, "protect": None}
        super()._construct(host, {**common, "dtype": given["dtype"] or torch.float32})
        self.data_keys = keys_of(given["data_keys"])
        if self.data_keys is not None and not {*self.data_keys} - {"image", "label"}:
            raise PolicyError(
                f"data_keys must name something to keep, boxes, keypoints or a mask, got {given['data_keys']!r}"
            )
        self.reading = reading_of(given["protect"], given["foreground"], given["ignore_index"])
        self.same_on_batch = bool(flag_of("same_on_batch", given["same_on_batch"]))
        self.chosen_dtype: torch.dtype | None = given["dtype"]

    def extra_repr(self) -> str:
        """Return what the module prints between its brackets."""
        keys = None if self.data_keys is None else list(self.data_keys)
        return f"{super().extra_repr()}, same_on_batch={self.same_on_batch}, data_keys={keys}"

    def forward(  # type: ignore[override]  # the host's form of a call
        self,
        *values: Any,
        data_keys: Sequence[Any] | None = None,
        valid: Tensor | None = None,
        labels: Any = None,
        weights: Any = None,
        ignore: Any = None,
        prior_visibility: Any = None,
        sample_ids: Any = None,
        with_outcome: bool = False,
    ) -> Any:
        """Return the crops of a batch, each value in the form in which it was given.

        Parameters
        ----------
        *values
            One value for each data key, or one mapping, whose keys say what each is and may go on behind a ``_``:

            - "input" or "image": (B, C, H, W), or (C, H, W) for a batch of one. Of several, all are cut alike.
            - "mask": (B, C, H, W) or (B, H, W); one mask for all images, (1, C, H, W), (C, H, W) or (H, W); or a list.
            - "bbox": four corners, (B, N, 4, 2); "bbox_xyxy" and "bbox_xywh": (B, N, 4). Without B for one image, as
              lists of one tensor an image, or as ``kornia.geometry.boxes.Boxes``.
            - "keypoints": (B, N, 2), (N, 2) for one image, or ``kornia.geometry.keypoints.Keypoints``.
            - "class" or "label": anything; it comes back as it is.
        data_keys : sequence, optional
            What the values of this call are, in place of the module's.
        valid : Tensor of shape (B, N), bool, optional
            Which rows of what is protected hold an object. Left out, those of a tensor that are not zeros, and all of
            a list.
        labels, weights, ignore, prior_visibility : Tensor of shape (B, N), or list of Tensor of shape (Ni,), optional
            Of each protected object: see `safeaug.batch.RandomResizedCrop.forward`.
        sample_ids : Tensor of shape (B,), or sequence of int, optional
            As there; with ``same_on_batch`` the first counts.
        with_outcome : bool, default False
            Whether to return what became of the draws as well.

        Returns
        -------
        outputs
            As many as values, in their order: a list, one bare value, or a mapping. Boxes are clipped to the output;
            those of which nothing is left are rows of zeros, under "bbox_xywh" ``(0, 0, 1, 1)``, and none is dropped.
        outcome : BatchOutcome
            Of what is protected, with `with_outcome` only: its ``valid`` says which rows are left. Boxes, masks and
            keypoints are among the outputs, and None here.

        Raises
        ------
        ContentError
            On values that do not fit; it says which, of which sample, and what is allowed.
        RetentionError
            Where the policy's ``on_fail`` is "raise" and a promise cannot be met.
        """
        entries = entries_of(values, self.data_keys if data_keys is None else keys_of(data_keys))
        about = {"labels": labels, "weights": weights, "ignore": ignore, "prior_visibility": prior_visibility}
        with torch.no_grad():
            images = image_in(entries)
            here = images.device.type == "cpu" and not torch.compiler.is_compiling()
            validate = here if self.validate is None else self.validate
            batch = images_of(images, None, validate=validate)
            home = torch.device("cpu") if batch.device.type in NO_FLOAT64 else batch.device
            read = values_of(entries, batch)
            given = protected_in(entries, read, self.reading, batch, self.rule.policy, validate, home, valid, about)
            self._check_fits(batch)
            finishes = [self._finish(images) for images in read.images.values()]
            ids = identities(sample_ids, len(batch.sizes), self.counter, self._turn)
            drawn = moved(self._placed(batch, given, Chance(self.key, self.epoch, ids)), home)
        self._tell_slow(batch)
        pictures, outcome = handed(batch, given, drawn, self.rule.policy, finishes[0], self.style)
        outputs = carried(entries, read, drawn.canvas, _kept(given, outcome), self.style)
        for i, (place, others) in enumerate(read.images.items()):
            outputs[place] = smooth(others.pictures, drawn.canvas, finishes[i], self.style) if i else pictures
        result = handed_on(values, entries, outputs)
        return (result, outcome._replace(boxes=None, masks=None, keypoints=None)) if with_outcome else result

    def _placed(self, batch: Images, given: Given, chance: Chance) -> Drawn:
        """Return the draw of a batch, which may be one for all its images; and count it."""
        if not self.same_on_batch:
            drawn = self._drawn(batch, given, chance)
            self._tell(drawn.found.status)
            return drawn
        first = torch.zeros(1, dtype=torch.int64, device=chance.ids.device)
        drawn = self._drawn(one_of(batch), united(given), chance.of(first))
        self._tell(drawn.found.status)
        return spread(drawn, len(batch.sizes))

    def _finish(self, batch: Images) -> Finish:
        """Return how pixels of these images are handed on: floating ones in their own dtype, where nothing is said."""
        finish = self.finish
        if self.chosen_dtype is None and batch.dtype is not torch.uint8:
            finish = finish._replace(dtype=batch.dtype)
        check_finish(finish, batch)
        return finish


def _kept(given: Given, outcome: BatchOutcome) -> dict[str, Tensor]:
    """Return which rows of what was protected are handed on: boxes that are left, and all keypoints that there are."""
    if given.protects == "boxes":
        return {"boxes": outcome.valid}
    if given.protects == "keypoints" and given.keypoints is not None:
        return {"keypoints": given.keypoints[:, 0, :, 2] > 0}
    return {}
