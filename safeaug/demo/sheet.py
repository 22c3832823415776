"""The contact sheet: each picture with its windows, and a few of the crops, plain over guarded."""

from PIL import Image, ImageDraw

from safeaug.demo.cell import CAPTION, SIDE, cell
from safeaug.demo.draw import Draw, Pair
from safeaug.demo.picture import picture
from safeaug.demo.scenes import Scene
from safeaug.demo.setting import Setting
from safeaug.demo.trial import Trial
from safeaug.report import ink

WIDE, NARROW = 6, 4
"""Crops in a line: below a strip, which takes the whole width, and beside a picture."""

GAP, CHIP = 12, 30
"""Space between crops, and width of the bar that names a line of them, in pixels."""

MARGIN, BETWEEN = 36, 40
"""Space around the sheet, and between its rows."""

TITLE, FIGURES = 40, 84
"""Height of a row's title, and of its figures."""


def line_width(columns: int) -> int:
    """Return the width of a line of so many crops, the bar before them included."""
    return CHIP + columns * (SIDE + GAP)


INNER = line_width(WIDE)
BESIDE = INNER - line_width(NARROW) - 24
"""Width of a picture that stands beside its crops."""


def sheet(trials: list[Trial], setting: Setting, seed: int) -> Image.Image:
    """Return the contact sheet.

    Parameters
    ----------
    trials : list of Trial
        One a row. Each holds the crops of the first `WIDE` draws that the guard left alone, and that it changed.
    setting : Setting
        What the trials are of.
    seed : int
        The seed of the draws, which the sheet names.
    """
    parts = [_head(setting, seed), *(_row(trial, setting) for trial in trials)]
    height = sum(part.height for part in parts) + BETWEEN * (len(parts) - 1) + 2 * MARGIN
    paper = ink.blank(INNER + 2 * MARGIN, height)
    pen, y = ImageDraw.Draw(paper), MARGIN
    for number, part in enumerate(parts):
        if number:
            pen.line([(MARGIN, y - BETWEEN // 2), (MARGIN + INNER - 1, y - BETWEEN // 2)], fill=ink.RULE, width=1)
        paper.paste(part, (MARGIN, y))
        y += part.height + BETWEEN
    return paper


def _head(setting: Setting, seed: int) -> Image.Image:
    paper = ink.blank(INNER, 166)
    pen = ImageDraw.Draw(paper)
    ink.write(pen, (0, 16), setting.words.title, 30)
    for y, line in zip((56, 80, 104), setting.words.lines, strict=True):
        ink.write(pen, (0, y), line.format(seed=seed), 16, ink.FAINT)
    _legend(pen, 150, setting)
    return paper


def _legend(pen: ImageDraw.ImageDraw, y: int, setting: Setting) -> None:
    x = 0.0
    windows = ((ink.PLAIN_LINE, "plain window"), (ink.GUARDED_LINE, "guarded window")) if setting.cuts else ()
    for line, text in ((ink.OBJECT_LINE, "labelled object"), *windows):
        pen.rectangle((x, y - 14, x + 40, y + 14), fill=ink.FAINT)
        ink.outline(pen, (x + 6, y - 9, x + 35, y + 9), line)
        x = _entry(pen, x + 50, y, text)
    for mark, ground, text in (
        (ink.cross, ink.BAD, setting.words.bad),
        (ink.tick, ink.GOOD, setting.words.good),
    ):
        pen.rectangle((x, y - 14, x + 28, y + 14), fill=ground)
        mark(pen, (x + 14, y), ink.PAPER)
        x = _entry(pen, x + 38, y, text)


def _entry(pen: ImageDraw.ImageDraw, x: float, y: float, text: str) -> float:
    """Write an entry of the legend, and return where the next one begins."""
    ink.write(pen, (x, y), text, 15)
    return x + ink.font(15).getlength(text) + 28


def _row(trial: Trial, setting: Setting) -> Image.Image:
    """Return a row: a strip stands above its crops, another picture beside them."""
    height, width = trial.scene.size
    return (_below if width > 3 * height else _beside)(trial, setting)


def _below(trial: Trial, setting: Setting) -> Image.Image:
    pairs = chosen(trial.pairs, WIDE)
    strip, crops = _picture(trial.scene, pairs, INNER, setting), _crops(trial.scene, pairs, setting)
    top = TITLE + strip.height + 16
    paper = _titled(trial.scene, top + crops.height)
    ink.write(ImageDraw.Draw(paper), (INNER, 17), _sentence(trial, setting), 16, anchor="rm")
    paper.paste(strip, (0, TITLE))
    paper.paste(crops, (0, top))
    return paper


def _beside(trial: Trial, setting: Setting) -> Image.Image:
    pairs = chosen(trial.pairs, NARROW)
    whole, crops = _picture(trial.scene, pairs, BESIDE, setting), _crops(trial.scene, pairs, setting)
    paper = _titled(trial.scene, TITLE + max(whole.height + 16 + FIGURES, crops.height))
    paper.paste(whole, (0, TITLE))
    paper.paste(_figures(trial, setting), (0, TITLE + whole.height + 16))
    paper.paste(crops, (INNER - line_width(NARROW), TITLE))
    return paper


def _picture(scene: Scene, pairs: list[Pair], width: int, setting: Setting) -> Image.Image:
    return picture(scene, pairs if setting.cuts else [], width)


def _titled(scene: Scene, height: int) -> Image.Image:
    paper = ink.blank(INNER, height)
    pen = ImageDraw.Draw(paper)
    ink.write(pen, (0, 14), scene.name, 24)
    count, (high, wide) = len(scene.boxes), scene.size
    about = f"{wide} x {high}, {count} object{'s' if count > 1 else ''}"  # Pillow's font has no multiplication sign
    about += f": {scene.note}" if scene.note else ""
    ink.write(pen, (ink.font(24).getlength(scene.name) + 14, 17), about, 16, ink.FAINT)
    return paper


def _sentence(trial: Trial, setting: Setting) -> str:
    damage = [column for column in setting.columns if column.says]
    plain = " and ".join(f"{column.says} in {column.text(trial.plain)}" for column in damage)
    guarded = " and ".join(column.text(trial.guarded) for column in damage)
    return f"Of {len(trial.pairs)} windows, plain {plain}; guarded: {guarded}."


def _figures(trial: Trial, setting: Setting) -> Image.Image:
    """Return what all draws on the picture come to, as a small table."""
    paper = ink.blank(BESIDE, FIGURES)
    pen = ImageDraw.Draw(paper)
    columns = list(zip((BESIDE * 0.5, BESIDE * 0.76, BESIDE), setting.columns, strict=False))
    ink.write(pen, (0, 12), f"of {len(trial.pairs)}", 15, ink.FAINT)
    for end, column in columns:
        ink.write(pen, (end, 12), column.heading.replace("\n", " "), 15, ink.FAINT, anchor="rm")
    for y, name, draws in ((40, "plain", trial.plain), (68, "guarded", trial.guarded)):
        pen.line([(0, y - 14), (BESIDE, y - 14)], fill=ink.RULE, width=1)
        ink.write(pen, (0, y), name, 16)
        for end, column in columns:
            ink.write(pen, (end, y), column.text(draws), 16, anchor="rm")
    return paper


def _crops(scene: Scene, pairs: list[Pair], setting: Setting) -> Image.Image:
    """Return two lines of crops: plain, and below it guarded."""
    lines = (
        _line("plain", ink.PLAIN, scene, [pair.plain for pair in pairs], setting),
        _line("guarded", ink.GUARDED, scene, [pair.guarded for pair in pairs], setting),
    )
    paper = ink.blank(lines[0].width, 2 * lines[0].height + GAP)
    paper.paste(lines[0], (0, 0))
    paper.paste(lines[1], (0, lines[0].height + GAP))
    return paper


def _line(name: str, colour: ink.Colour, scene: Scene, draws: list[Draw], setting: Setting) -> Image.Image:
    height = SIDE + CAPTION
    paper = ink.blank(line_width(len(draws)), height)
    paper.paste(ink.sideways(name, CHIP, height, colour, 16), (0, 0))
    for number, draw in enumerate(draws, start=1):
        paper.paste(cell(number, scene, draw, setting), (line_width(number) - SIDE, 0))
    return paper


def chosen(pairs: list[Pair], columns: int) -> list[Pair]:
    """Return the first pairs that the guard left alone, then the first that it changed.

    There are as many of each as their share in all pairs calls for, and at least one of each that occurs.
    """
    alone = [pair for pair in pairs if not pair.changed]
    changed = [pair for pair in pairs if pair.changed]
    count = round(columns * len(changed) / len(pairs))
    count = min(max(count, 1 if changed else 0), columns - 1 if alone else columns)
    return [*alone[: columns - count], *changed[:count]]
