"""What a guarded step does: keep its draw, move it, draw anew, soften, or say that nothing helps."""

import copy
from collections.abc import Callable
from typing import NamedTuple

from safeaug.content import Content
from safeaug.geometry import Size, Window, size_of
from safeaug.guarding import quick
from safeaug.guarding.draw import Draw
from safeaug.guarding.leaf import Leaf
from safeaug.guarding.passage import NOTHING_BUT, Passage
from safeaug.guarding.untold import RefusedError, UntoldError
from safeaug.guarding.way import Params, Way
from safeaug.ledger import Ledger, Verdict, visible
from safeaug.measures import allows, meets
from safeaug.policy import Policy, Status
from safeaug.records import Found
from safeaug.traits import Traits

STRENGTHS = 16
"""Steps from the drawn strength down to none in which a draw is softened."""


def acted(passage: Passage, leaf: Leaf, params: Params, data: Params, drawn: Params) -> Params:
    """Return the parameters with which a step is applied, and note how its draw ended.

    Parameters
    ----------
    passage : Passage
        The sample on its way.
    leaf : Leaf
        The guarded step.
    params, data : dict
        What it was asked to draw for.
    drawn : dict
        The host's draw.

    Raises
    ------
    LeftOut
        Where the step is to be left out.
    """
    if not passage.guards or leaf.way in NOTHING_BUT:
        passage.follow_only(leaf, {**params, **drawn})
        return drawn
    drawn, status = _acted(passage, leaf, params, data, drawn)
    passage.note(leaf, status)
    return drawn


def _acted(passage: Passage, leaf: Leaf, params: Params, data: Params, drawn: Params) -> tuple[Params, Status]:
    size: Size = params["shape"][:2]
    try:
        after = passage.after(leaf, {**params, **drawn}, size)
    except RefusedError:
        return drawn, Status.FIRST  # the host will say so
    except UntoldError:
        passage.lose_sight()
        return drawn, Status.UNGUARDED
    if passage.grid is not None and leaf.way is Way.WINDOW:
        return _ranked(passage, leaf, params, data, drawn, after)
    if leaf.way is Way.RIGID:  # it takes nothing, and what is left has been judged
        passage.ledger = after
        return drawn, Status.FIRST
    verdict = passage.judge(after, leaf)
    moves = leaf.way is Way.WINDOW and not leaf.fixed
    if verdict.kept and not (moves and _is_stretched(passage.policy, leaf, drawn, size)):
        passage.take(after, verdict)
        return drawn, Status.FIRST
    if moves:
        return _moved(passage, leaf, params, data, drawn)
    if leaf.guards:
        return _redrawn(passage, leaf, params, data, drawn, (after, verdict))
    passage.take(after, verdict)
    return drawn, Status.UNGUARDED


def _is_stretched(policy: Policy, leaf: Leaf, drawn: Params, image_size: Size) -> bool:
    if policy.max_stretch is None:
        return False
    window = leaf.kind.window(leaf.inner, drawn, image_size)
    if window is None:
        return False
    size = size_of(window)
    return not allows(policy, size, leaf.kind.output(leaf.inner, size, drawn, image_size))


# Windows.


def _moved(passage: Passage, leaf: Leaf, params: Params, data: Params, drawn: Params) -> tuple[Params, Status]:
    """Take another window, as a guarded crop does, among what is visible now."""
    size: Size = params["shape"][:2]
    first = leaf.kind.window(leaf.inner, drawn, size)
    if first is None:  # the host refuses it, and will raise
        return drawn, Status.UNGUARDED
    asked = quick.asked_of(passage, leaf, drawn)
    if asked is not None:
        window = quick.moved(asked, leaf, size, first)
        if window is not None:
            moved = copy.copy(drawn)
            leaf.kind.put(leaf.inner, moved, window, size)
            after = passage.after(leaf, {**params, **moved}, size)
            verdict = passage.judge(after, leaf)
            if verdict.kept:
                passage.take(after, verdict)
                return moved, Status.MOVED
    drawn, found = _found(passage, leaf, params, data, drawn, first, only_others=asked is not None)
    if found.status is Status.SKIPPED:
        raise leaf.left_out({**params, **drawn}, first)
    after = passage.after(leaf, {**params, **drawn}, size)
    verdict = passage.judge(after, leaf)
    passage.take(after, verdict)
    return drawn, found.status if verdict.kept else Status.UNMET


def _ranked(
    passage: Passage, leaf: Leaf, params: Params, data: Params, drawn: Params, after: Ledger
) -> tuple[Params, Status]:
    """Take a window that ranks as it must among those of its size, by the saliency map as the picture shows it now."""
    size, content, policy = params["shape"][:2], passage.shown(), passage.asks.at_end
    kind, host = (leaf.kind, leaf.inner) if leaf.kind is not None else (leaf.inner.kind, leaf.inner.host)
    first = kind.window(host, drawn, size)
    if content.blank or first is None or leaf.fixed:
        passage.ledger = after
        stands = not content.blank and first is not None
        output = kind.output(host, size_of(first), drawn, size) if stands else size
        return drawn, Status.FIRST if stands and meets(content, policy, first, output) else Status.UNGUARDED
    drawn, found = _searched(leaf, params, data, drawn, first, content, policy)
    if found.status is Status.SKIPPED:
        raise leaf.left_out({**params, **drawn}, first)
    passage.ledger = passage.after(leaf, {**params, **drawn}, size)
    return drawn, found.status


def _found(
    passage: Passage, leaf: Leaf, params: Params, data: Params, drawn: Params, first: Window, *, only_others: bool
) -> tuple[Params, Found]:
    """Return the draw with the window that is taken, and how that was found.

    Where further steps take from the objects too, one is looked for first that leaves them half of what may be lost:
    from an object at its limit nothing more can be taken, so what follows could only come to nothing.
    """
    policy = passage.asks.at_end if leaf.last else passage.asks.between
    content = visible(_asked_for(passage), policy, _traits(passage))
    task = leaf, params, data, drawn, first
    if not leaf.followed:
        return _searched(*task, content, policy)
    roomy = content._replace(limits=[(1 + limit) / 2 for limit in content.limits])
    quiet = passage.asks.at_end_or_out if leaf.last else passage.asks.between_or_out
    for asked in () if only_others else (roomy, content):  # the drawn size first, as ever
        drawn_so, found = _searched(*task, asked, quiet, only_drawn=True)
        if found.status is Status.MOVED:
            return drawn_so, found
    if only_others and not (leaf.kind.redraws or leaf.kind.enlarges):  # the one size that there is has been tried
        return _searched(*task, content, policy)
    drawn_so, found = _searched(*task, roomy, quiet)
    return (drawn_so, found) if found.status is not Status.SKIPPED else _searched(*task, content, policy)


def _searched(
    leaf: Leaf,
    params: Params,
    data: Params,
    drawn: Params,
    first: Window,
    content: Content,
    policy: Policy,
    only_drawn: bool = False,
) -> tuple[Params, Found]:
    """Return the draw with the window that the search of a kind takes."""
    size, start = params["shape"][:2], copy.copy(drawn)  # a host may say more in its draw than a dict holds
    draw = Draw(leaf, params, data, start, leaf.kind.frame(drawn, size), first)
    draw.only_drawn = only_drawn
    found = leaf.kind.find(draw, content, policy)
    if draw.drawn is start and found.window != first:  # a kind that draws anew has the window in its draw
        leaf.kind.put(leaf.inner, start, found.window, size)
    return draw.drawn, found


def _asked_for(passage: Passage) -> Ledger:
    """Return the ledger of those objects only that are asked for: to find what is visible of one may take long."""
    asked, ledger = {passage.promise.objects[place] for place in passage.asked}, passage.ledger
    return ledger._replace(tracks=tuple([track if i in asked else None for i, track in enumerate(ledger.tracks)]))


def _traits(passage: Passage) -> Traits:
    """Return what is said of each given object, for a search among what is left of those that are asked for."""
    promise, count = passage.promise, passage.count
    limits, weights, ignore = [0.0] * count, [1.0] * count, [True] * count
    for place in passage.asked:
        i = promise.objects[place]
        # With the tolerance off, so that what one step kept by a hair is not lost to the next.
        limits[i], weights[i], ignore[i] = max(promise.needs[place], 0.0), promise.weights[place], False
    return Traits(limits, weights, ignore, None)


# Whatever else is drawn.


_Left = tuple[Ledger, Verdict]
"""What a draw leaves of the objects, and whether that keeps the promise."""


def _redrawn(
    passage: Passage, leaf: Leaf, params: Params, data: Params, drawn: Params, left: _Left
) -> tuple[Params, Status]:
    """Draw anew; then the drawn one weaker and weaker; then as it was drawn, with what that leaves."""
    size: Size = params["shape"][:2]
    again = leaf.again(leaf.fork((0, 0, size[1], size[0])))

    def kept(given: Params) -> _Left | None:
        """Return what a draw leaves, and the verdict; None where that breaks the promise."""
        try:
            after = passage.after(leaf, {**params, **given}, size)
        except UntoldError:  # nor does one keep anything that the host will refuse
            return None
        verdict = passage.judge(after, leaf)
        return (after, verdict) if verdict.kept else None

    for _ in range(passage.policy.tries):
        other = again(params, data)
        taken = kept(other)
        if taken is not None:
            passage.take(*taken)
            return other, Status.REDRAWN
    softer = _weaker(leaf, {**params, **drawn}, size, kept)
    if softer is None:
        passage.take(*left)
        return drawn, Status.UNMET
    passage.take(*softer.left)
    passage.weak = passage.weak or softer.number == 0
    return softer.params, Status.SOFTENED


class _Softer(NamedTuple):
    """A weaker draw that keeps the promise: its number of `STRENGTHS`, its parameters, and what it leaves."""

    number: int
    params: Params
    left: _Left


def _weaker(leaf: Leaf, drawn: Params, size: Size, kept: Callable[[Params], _Left | None]) -> _Softer | None:
    """Return the strongest of the weaker draws that keeps the promise; None where none does.

    Where a weaker draw takes no more than a stronger one, half of them can be passed over at each look.
    """
    found = None
    numbers = list(range(STRENGTHS))
    while numbers:
        number = numbers[len(numbers) // 2] if leaf.eases else numbers[-1]
        weaker = leaf.soften(drawn, size, number / STRENGTHS)
        left = None if weaker is None else kept(weaker)
        if weaker is not None and left is not None:
            found = _Softer(number, weaker, left)
            numbers = [each for each in numbers if each > number]
        else:
            numbers = [each for each in numbers if each < number]
    return found


def can_act(way: Way, *, fixed: bool, softens: bool) -> bool:
    """Return whether a step's draw can be changed: moved, drawn anew or softened."""
    if way is Way.WINDOW:
        return not fixed
    return way is Way.PROJECTIVE or (way is Way.OCCLUDING and softens)
