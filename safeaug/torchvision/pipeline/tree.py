"""The parts of a pipeline, and which of its steps may come behind which."""

from collections.abc import Callable
from typing import Any

import torch
from torchvision.transforms import transforms as v1
from torchvision.transforms import v2

from safeaug.guarding import GEOMETRIC, Behind
from safeaug.torchvision.leaf import Leaf

IN_TURN = v2.Compose, v2.RandomApply, v1.Compose, v1.RandomApply, torch.nn.Sequential, torch.nn.ModuleList
"""Parts that apply all their children, in order."""

ONE_OF = v2.RandomChoice, v1.RandomChoice
"""Parts that apply one of their children."""

ANY_ORDER = v2.RandomOrder, v1.RandomOrder
"""Parts that apply all their children, in any order."""

PARTS = (*IN_TURN, *ONE_OF, *ANY_ORDER)


def children_of(node: Any) -> list[Any]:
    """Return the parts of a part, in order; none of a leaf."""
    if not isinstance(node, PARTS):
        return []
    inside: Any = node if isinstance(node, torch.nn.Sequential | torch.nn.ModuleList) else node.transforms
    return list(inside)


def exchange(node: Any, change: Callable[[Any, int], Any]) -> None:
    """Put other parts in the place of those of a part, each of which is told its place too."""
    children = [change(child, i) for i, child in enumerate(children_of(node))]
    if isinstance(node, torch.nn.Sequential | torch.nn.ModuleList):
        for i, child in enumerate(children):
            if child is not node[i]:
                node[i] = child
    elif isinstance(node.transforms, torch.nn.ModuleList):
        exchange(node.transforms, lambda _, i: children[i])
    else:
        node.transforms = type(node.transforms)(children) if type(node.transforms) in {list, tuple} else children


def by_chance(node: Any) -> bool:
    """Return whether chance decides if a part is applied at all, once its turn has come."""
    p = getattr(node, "p", 1.0)
    return isinstance(p, float | int) and p < 1


def look_behind(node: Any, leaves: dict[int, Leaf], behind: Behind) -> Behind:
    """Tell the steps of a tree which of them may end it, and which may be followed; return what is behind its front.

    Parameters
    ----------
    node : part or transform
        The tree.
    leaves : dict
        Its steps, by the ids of their transforms. Those that stand in it twice are told of both places.
    behind : Behind
        What comes behind the tree.
    """
    certain = not by_chance(node)
    if id(node) in leaves:
        leaf = leaves[id(node)]
        leaf.last, leaf.followed = leaf.last and not behind.certain, leaf.followed or behind.possible
        # Holes change no size: what fills the picture before them fills it after.
        return behind.or_behind(Behind(leaf.guards and leaf.way in GEOMETRIC, leaf.guards), certain=certain)
    children = children_of(node)
    if isinstance(node, IN_TURN):
        inside = behind
        for child in reversed(children):
            inside = look_behind(child, leaves, inside)
        return behind.or_behind(inside, certain=certain)
    found = behind
    for child in [*children, *children]:  # each of them may come behind any other, unless only one is applied
        inside = look_behind(child, leaves, behind if isinstance(node, ONE_OF) else found)
        found = found.or_behind(inside, certain=False)
    return found


def look_before(node: Any, leaves: dict[int, Leaf], chosen: bool = False) -> bool:
    """Tell the steps of a tree whether chance decides on them, or on what comes before; return it of the tree's end."""
    decided = by_chance(node)
    if id(node) in leaves:
        leaf = leaves[id(node)]
        leaf.chosen = leaf.chosen or chosen or decided
        return chosen or (decided and _takes(node, leaves))
    in_turn = isinstance(node, IN_TURN)
    inside = chosen or decided or not in_turn
    for child in children_of(node):
        inside = look_before(child, leaves, inside)
    return chosen or (_takes(node, leaves) if decided or not in_turn else inside)


def _takes(node: Any, leaves: dict[int, Leaf]) -> bool:
    """Return whether some step of a tree takes anything from objects."""
    if id(node) in leaves:
        leaf = leaves[id(node)]
        return leaf.guards or leaf.varies
    return any(_takes(child, leaves) for child in children_of(node))
