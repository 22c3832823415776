"""The tree of a pipeline: which of its steps may come behind which."""

from typing import Any

import albumentations as A

from safeaug.albumentations.pipeline.leaf import Leaf
from safeaug.guarding import GEOMETRIC, Behind

IN_TURN = A.Compose, A.Sequential
"""Composes that apply all their children, in order."""

ONE_OF = A.OneOf, A.OneOrOther
"""Composes that apply one of their children."""


def look_behind(node: Any, leaves: dict[int, Leaf], behind: Behind) -> Behind:
    """Tell the steps of a tree which of them may end it, and which may be followed; return what is behind its front.

    Parameters
    ----------
    node : BaseCompose or BasicTransform
        The tree.
    leaves : dict
        Its steps, by the ids of their transforms. Those that stand in it twice are told of both places.
    behind : Behind
        What comes behind the tree.
    """
    if id(node) in leaves:
        leaf = leaves[id(node)]
        leaf.last, leaf.followed = leaf.last and not behind.certain, leaf.followed or behind.possible
        # Holes change no size: what fills the picture before them fills it after.
        return behind.or_behind(Behind(leaf.guards and leaf.way in GEOMETRIC, leaf.guards), certain=node.p >= 1)
    children = getattr(node, "transforms", ())
    if isinstance(node, IN_TURN):
        inside = behind
        for child in reversed(children):
            inside = look_behind(child, leaves, inside)
        return behind.or_behind(inside, certain=node.p >= 1)
    found = behind
    for child in [*children, *children]:  # in any order, some twice: each of them may come behind any other
        inside = look_behind(child, leaves, behind if isinstance(node, ONE_OF) else found)
        found = found.or_behind(inside, certain=False)
    return found


def look_before(node: Any, leaves: dict[int, Leaf], chosen: bool = False, *, root: bool = True) -> bool:
    """Tell the steps of a tree whether chance decides on them, or on what comes before; return it of the tree's end.

    Of the root its own p is passed over: another draw of the whole applies it in any case.

    Examples
    --------
    >>> crop, blur, flip = A.RandomCrop(8, 8), A.Blur(p=0.5), A.Affine(p=0.5)
    >>> leaves = {id(each): Leaf(each, (0,), False) for each in (crop, blur, flip)}
    >>> look_before(A.Compose([blur, crop, flip], p=0.5), leaves), leaves[id(crop)].chosen, leaves[id(flip)].chosen
    (True, False, True)
    """
    by_chance = node.p < 1 and not root
    if id(node) in leaves:
        leaf = leaves[id(node)]
        leaf.chosen = leaf.chosen or chosen or by_chance
        return chosen or (by_chance and (leaf.guards or leaf.varies))
    in_turn = isinstance(node, IN_TURN)
    inside = chosen or by_chance or not in_turn
    for child in getattr(node, "transforms", ()):
        inside = look_before(child, leaves, inside, root=False)
    return chosen or (_takes(node, leaves) if by_chance or not in_turn else inside)


def _takes(node: Any, leaves: dict[int, Leaf]) -> bool:
    """Return whether some step of a tree takes anything from objects."""
    if id(node) in leaves:
        leaf = leaves[id(node)]
        return leaf.guards or leaf.varies
    return any(_takes(child, leaves) for child in getattr(node, "transforms", ()))
