"""One scene, many draws: the plain transform and the guarded one, draw by draw from the same seed."""

import math
from collections.abc import Callable
from typing import NamedTuple

from safeaug.content import Content
from safeaug.demo.draw import Draw, Pair
from safeaug.demo.made import Shot
from safeaug.demo.scenes import Scene
from safeaug.demo.setting import Setting
from safeaug.geometry import size_of
from safeaug.measures import demand_of, measure, passes
from safeaug.objects import content_from
from safeaug.policy import Policy


class Trial(NamedTuple):
    """All draws on one scene.

    Parameters
    ----------
    scene : Scene
        The picture.
    pairs : list of Pair
        The draws, in order.
    statuses : dict of str to int
        How the guarded draws ended.
    """

    scene: Scene
    pairs: list[Pair]
    statuses: dict[str, int]

    @property
    def plain(self) -> list[Draw]:
        """Draws of the host's transform."""
        return [pair.plain for pair in self.pairs]

    @property
    def guarded(self) -> list[Draw]:
        """Draws of the guarded transform."""
        return [pair.guarded for pair in self.pairs]


def trial(
    scene: Scene,
    setting: Setting,
    windows: int,
    seed: int,
    shown: int = 0,
    advance: Callable[[], None] = lambda: None,
) -> Trial:
    """Draw from the plain and from the guarded transform, and measure what is left of the objects.

    Parameters
    ----------
    scene : Scene
        The picture to crop, or to scale.
    setting : Setting
        Gives the two transforms, and the policy by which both are judged.
    windows : int
        How many draws to make of each.
    seed : int
        Seed of both pipelines.
    shown : int, default 0
        Of how many draws that the guard left alone, and of how many that it changed, to hold the crops.
    advance : callable, optional
        Called after each pair of draws.

    Notes
    -----
    The two take turns in going first, so that neither always finds the picture in the processor's cache.
    """
    transform = setting.guarded()
    plain, guarded = setting.calling(setting.plain(), scene, seed), setting.calling(transform, scene, seed)
    content = _content(scene, setting.policy)
    pairs: list[Pair] = []
    held = {False: 0, True: 0}
    for number in range(windows):
        order = (plain, guarded) if number % 2 == 0 else (guarded, plain)
        draws = [_measured(shoot(), scene, content, setting.policy) for shoot in order]
        pair = Pair(*draws) if number % 2 == 0 else Pair(*reversed(draws))
        held[pair.changed] += 1
        pairs.append(pair if held[pair.changed] <= shown else _bare(pair))
        advance()
    return Trial(scene, pairs, transform.report())


def _bare(pair: Pair) -> Pair:
    return Pair(*(draw._replace(crop=None) for draw in pair))


def _content(scene: Scene, policy: Policy) -> Content:
    if scene.masks is None:
        return content_from(scene.size, policy, boxes=scene.boxes)
    return content_from(scene.size, policy, masks=scene.masks.pixels)


def _measured(shot: Shot, scene: Scene, content: Content, policy: Policy) -> Draw:
    output, size = shot.image.shape[:2], size_of(shot.window)
    measured = measure(content, policy, shot.window)
    return Draw(
        window=shot.window,
        size=output,
        area=math.prod(size) / math.prod(scene.size),
        retention=measured.retention,
        pixels=measured.area * math.prod(output) / math.prod(size),
        kept=passes(demand_of(content, policy, size, output), shot.window),
        micros=shot.micros,
        crop=shot.image,
    )
