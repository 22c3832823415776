"""What the guarded crops of a batch have in common: a module that holds how to draw, and draws."""

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields
from typing import Any, Literal, get_args

import torch
from torch import Tensor, nn

from safeaug.batch.chance import Chance
from safeaug.batch.checks import check_finish, finish_of, flag_of, share_of, style_of, whole_of
from safeaug.batch.cut import Cut
from safeaug.batch.draw import Drawn, Frames, Rule, draw
from safeaug.batch.first import Host
from safeaug.batch.given import Given, given_of
from safeaug.batch.handed import handed
from safeaug.batch.identity import Turn, identities, seed_words
from safeaug.batch.images import Images, images_of
from safeaug.batch.moved import NO_FLOAT64, moved
from safeaug.batch.outcome import BatchOutcome
from safeaug.batch.rendering.fused import unable
from safeaug.batch.salient import salient_of
from safeaug.counts import Counts
from safeaug.errors import ContentError, PolicyError
from safeaug.policy import Policy, Status, policy_of
from safeaug.saliency.methods import checked_method

Protect = Literal["boxes", "masks", "keypoints", "maps", "saliency"]
"""What must survive."""

Numbers = float | Sequence[float]
"""One number for all channels, or one for each."""


class Crop(nn.Module):
    """Base of the guarded crops of a batch; see `safeaug.batch.RandomResizedCrop`."""

    __call__: Callable[..., tuple[Tensor, BatchOutcome]]

    key: Tensor
    epoch: Tensor
    counter: Tensor
    seen: Tensor
    table: Tensor

    def _construct(self, host: Host, given: Mapping[str, Any]) -> None:
        """Take over the law and the arguments of a crop's constructor."""
        nn.Module.__init__(self)
        policy = policy_of(given["policy"], given)
        if given["protect"] is not None and given["protect"] not in get_args(Protect):
            raise PolicyError(f"protect must be one of {', '.join(get_args(Protect))}, got {given['protect']!r}")
        self.rule = Rule(host, policy, tuple(host.table()), share_of("p", given["p"]), share_of("flip", given["flip"]))
        self.protect: Protect | None = given["protect"]
        self.saliency = given["saliency"] if callable(given["saliency"]) else checked_method(given["saliency"])
        if self.protect == "saliency":
            policy.check_salient()
        self.finish, self.style = finish_of(given), style_of(given)
        self.branchless, self.validate = (flag_of(name, given[name], none=True) for name in ("branchless", "validate"))
        # Whole numbers, so that `half()` and its kin leave them alone. The epoch is shared with a loader's workers.
        self.register_buffer("key", seed_words(given["seed"]))
        self.register_buffer("epoch", torch.zeros((), dtype=torch.int64).share_memory_())
        self.register_buffer("counter", torch.zeros((), dtype=torch.int64))
        self.register_buffer("seen", torch.zeros(len(Status), dtype=torch.int64), persistent=False)
        self.register_buffer("table", torch.tensor(self.rule.table, dtype=torch.int64), persistent=False)
        self.pads = bool(flag_of("pad_if_needed", given.get("pad_if_needed", False)))
        self._counts = Counts(type(self).__name__)
        self._told, self._told_slow, self._turn = False, False, Turn()

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Take over the state of a copied or pickled module, whose epoch is in memory of its own: share that again."""
        super().__setstate__(state)  # type: ignore[no-untyped-call]
        self.epoch.share_memory_()

    def set_epoch(self, epoch: int) -> None:
        """Say how often the data has been seen: every sample draws anew in each epoch.

        A loader's persistent workers see it too. Samples without ids need none: their count goes on.

        Parameters
        ----------
        epoch : int
            At least 0.

        Raises
        ------
        PolicyError
            On anything else.
        """
        self.epoch.fill_(whole_of("epoch", epoch, least=0))

    def report(self) -> dict[str, int]:
        """Return how many draws ended in which status, those of loader workers included.

        Of draws on a device it waits for that.
        """
        report = self._counts.report()
        for status, count in zip(Status, self.seen.tolist(), strict=True):
            if count:
                report[status.name] = report.get(status.name, 0) + count
        return report

    def extra_repr(self) -> str:
        """Return what the module prints between its brackets."""
        host, policy = self.rule.host, self.rule.policy
        law = ", ".join(f"{field.name}={getattr(host, field.name)}" for field in fields(host))
        promise = f"min_retention={policy.min_retention}, keep={policy.keep!r}"
        return f"{law}, {promise}, p={self.rule.p:g}, flip={self.rule.flip:g}, dtype={self.finish.dtype}"

    def forward(
        self,
        images: Any,
        *,
        boxes: Any = None,
        valid: Tensor | None = None,
        masks: Any = None,
        keypoints: Any = None,
        maps: Any = None,
        labels: Any = None,
        weights: Any = None,
        ignore: Any = None,
        prior_visibility: Any = None,
        sizes: Any = None,
        sample_ids: Any = None,
    ) -> tuple[Tensor, BatchOutcome]:
        """Return the crops of a batch, and what became of each.

        Parameters
        ----------
        images : Tensor of shape (B, C, H, W), sequence of Tensor of shape (C, Hi, Wi), or Ragged
            Of uint8, float16, bfloat16, float32 or float64.
        boxes : Tensor of shape (B, N, 4), or list of Tensor of shape (Ni, 4), optional
            Corners in the image frame, in pixels.
        valid : Tensor of shape (B, N), bool
            Which rows of boxes, masks and keypoints hold an object, and which only fill up the batch. Lists say so by
            their lengths.
        masks : Tensor of shape (B, N, H, W), or list of Tensor of shape (Ni, Hi, Wi), optional
            Instance masks: whole numbers, of which all but 0 belong to the object, or shares in [0, 1].
        keypoints : Tensor of shape (B, N, K, 2) or (B, N, K, 3), or list, optional
            In pixels of the image; a third number above 0 says that one is visible.
        maps : Tensor of shape (B, H, W), or list of Tensor of shape (Hi, Wi), optional
            How much each pixel matters, at least 0: one object an image. With ``protect="saliency"`` they may also be
            in cells that divide each image into equal parts, at most 64 a side, and stay behind; left out, they are
            made of the images.
        labels, weights, ignore, prior_visibility : Tensor of shape (B, N), or list of Tensor of shape (Ni,), optional
            Of each protected object: its label, a whole number, for limits per label; what it counts for; whether it is
            never asked for; the share of it that was visible before this image was made.
        sizes : Tensor of shape (B, 2), or sequence of (int, int), optional
            Height and width of each image in a padded batch.
        sample_ids : Tensor of shape (B,), or sequence of int, optional
            Which sample each is, as a rule its index in the dataset. The same id draws the same window in any batch, of
            one seed and epoch; so where ids are given each epoch has to be told by `set_epoch`, else a sample keeps one
            window for the whole training. Without ids samples are counted, and nothing repeats.

        Returns
        -------
        images : Tensor of shape (B, C, h, w)
            On the images' device.
        outcome : BatchOutcome
            Windows, statuses, what is left of each object, and boxes, masks, keypoints and maps in the output.

        Raises
        ------
        ContentError
            On arguments that do not fit; it says which, of which sample, and what is allowed.
        RetentionError
            Where the policy's ``on_fail`` is "raise" and a promise cannot be met.
        """
        with torch.no_grad():
            validate = _looks(images) if self.validate is None else self.validate
            batch = images_of(images, sizes, validate=validate)
            home = torch.device("cpu") if batch.device.type in NO_FLOAT64 else batch.device
            salient = None
            if self.protect == "saliency":
                maps, salient = salient_of(batch, maps, self.saliency, validate)
            given = given_of(
                batch,
                self.rule.policy,
                self.protect,
                validate,
                home,
                boxes=boxes,
                masks=masks,
                keypoints=keypoints,
                maps=maps,
                salient=salient,
                valid=valid,
                labels=labels,
                weights=weights,
                ignore=ignore,
                prior_visibility=prior_visibility,
            )
            self._check_fits(batch)
            check_finish(self.finish, batch)
            ids = identities(sample_ids, len(batch.sizes), self.counter, self._turn)
            chance = Chance(self.key, self.epoch, ids)
            drawn = moved(self._drawn(batch, given, chance), home)
        self._tell(drawn.found.status)
        self._tell_slow(batch)
        return handed(batch, given, drawn, self.rule.policy, self.finish, self.style)

    def _drawn(self, batch: Images, given: Given, chance: Chance) -> Drawn:
        """Return the draw of a batch: on its device without a branch, or on the CPU sample by sample."""
        if self._goes_branchless(batch, given):
            table, chance = moved((self.table, chance), batch.device)
            frames = Frames(batch.sizes, None, batch.extent)
            return draw(self.rule, table, frames, given, chance, guarded=self.training)
        cpu = torch.device("cpu")
        sizes, table, chance, given = moved((batch.sizes, self.table, chance, given), cpu)
        known = batch.known if batch.known is not None else [(high, wide) for high, wide in sizes.tolist()]
        return draw(self.rule, table, Frames(sizes, known, batch.extent), given, chance, guarded=self.training)

    def _goes_branchless(self, batch: Images, given: Given) -> bool:
        can = given.protects in {None, "boxes"} and not _waits(self.rule.policy)
        if self.branchless is None and not torch.compiler.is_compiling():
            return can and batch.device.type not in {"cpu", *NO_FLOAT64}
        if torch.compiler.is_compiling() and isinstance(batch.pictures, list):
            raise ContentError(
                "a compiled module takes images as one tensor, got a list of them; pad them, and pass their sizes="
            )
        if self.branchless is not False and not can:
            policy = self.rule.policy
            raise ContentError(
                "a search without branches, as torch.compile needs it, protects boxes only, by a policy that neither "
                f"raises nor calls: got {given.protects}, keep={policy.keep!r}, on_fail={policy.on_fail!r} and "
                f"on_empty={policy.on_empty!r}; use branchless=False without compiling the module"
            )
        return self.branchless is not False

    def _check_fits(self, batch: Images) -> None:
        """Raise `ContentError` where a window is larger than an image and its padding, and may not be."""
        host = self.rule.host
        if not isinstance(host, Cut) or self.pads or batch.known is None:
            return
        left, top, right, bottom = host.padding
        for i, (height, width) in enumerate(batch.known):
            if height + top + bottom < host.size[0] or width + left + right < host.size[1]:
                raise ContentError(
                    f"images[{i}] of {(height, width)}, with padding {host.padding}, is smaller than the crop "
                    f"{host.size}, and is not scaled up in silence; use pad_if_needed=True, or resize before"
                )

    def _tell(self, status: Tensor) -> None:
        """Count how draws ended; say once that a module in evaluation does not guard them."""
        if torch.compiler.is_compiling() or status.device.type != "cpu":
            counts = (status[:, None] == torch.arange(len(Status), device=status.device)).sum(0)
            self.seen += counts.to(self.seen.device)
        else:
            for number, count in enumerate(torch.bincount(status.long()).tolist()):
                if count:
                    self._counts.add(Status(number), count)
        if not self.training and not self._told and not torch.compiler.is_compiling():
            self._told = True
            logging.getLogger("safeaug").warning(
                "%s: in evaluation (.eval()) windows are drawn as if there were no labels, and keep nothing: labels "
                "must not leak into what a model is judged on. For whole images use a plain resize there",
                type(self).__name__,
            )

    def _tell_slow(self, batch: Images) -> None:
        """Say once that images on CUDA are not drawn by its kernel, and why."""
        if self._told_slow or batch.device.type != "cuda" or self.style.renderer or torch.compiler.is_compiling():
            return
        reason = unable(batch.pictures, self.rule.host.size, self.finish.dtype)
        if reason is not None:
            self._told_slow = True
            logging.getLogger("safeaug").warning(
                "%s: these images are drawn by plain torch, several times slower: %s", type(self).__name__, reason
            )


def _waits(policy: Policy) -> bool:
    """Return whether a policy looks at values on the way, for which a device has to be waited for."""
    return callable(policy.keep) or "raise" in {policy.on_fail, policy.on_empty}


def _looks(images: Any) -> bool:
    """Return whether values can be looked at without waiting for a device, or for what a compiler leaves undone."""
    first = images if isinstance(images, Tensor) else next(iter(images), None) if isinstance(images, Sequence) else None
    here = not isinstance(first, Tensor) or first.device.type == "cpu"
    return here and not torch.compiler.is_compiling()
