"""The kernel: one launch reads what lies in each window once, and writes each finished output once.

A program draws one tile of one channel of one output. It walks down the source rows that the tile needs, some at a
time: these are filtered across, tap by tap, where they lie; then a small product of matrices adds them up, down the
tile. So a source pixel is read as often as columns of the tile need it and no more, whatever the number of rows.

How far the filter reaches is a number, not a shape: as many taps as a shrink needs, by a loop. All distances are in
units in which a source pixel is ``2 * drawn`` long and an output pixel ``2 * taken``, where the centres of both are
whole numbers (see `safeaug.batch.rendering.dense`).
"""

import triton
import triton.language as tl


@triton.jit
def crop(
    images,
    table,
    source,
    target,
    flipped,
    output,
    batch_stride,
    channel_stride,
    row_stride,
    column_stride,
    height,
    width,
    channels,
    first_channel,
    group,
    slope_0,
    slope_1,
    slope_2,
    slope_3,
    offset_0,
    offset_1,
    offset_2,
    offset_3,
    colour_0,
    colour_1,
    colour_2,
    colour_3,
    RAGGED: tl.constexpr,
    CUBIC: tl.constexpr,
    ANTIALIAS: tl.constexpr,
    BYTES_IN: tl.constexpr,
    BYTES_OUT: tl.constexpr,
    ROWS: tl.constexpr,
    COLUMNS: tl.constexpr,
    DEPTH: tl.constexpr,
    PRECISION: tl.constexpr,
):
    """Draw a tile of ROWS by COLUMNS pixels, DEPTH source rows at a time.

    ``images`` is the batch, or any of its pictures where RAGGED: then ``table`` holds of each picture its address and
    its strides of channel, row and column. The program's number counts tiles, then ``group`` channels from
    ``first_channel`` on, then pictures.
    """
    across, down = tl.cdiv(width, COLUMNS), tl.cdiv(height, ROWS)
    number = tl.program_id(0)
    left, top = number % across * COLUMNS, number // across % down * ROWS
    lane, picture = number // (across * down) % group, number // (across * down * group)
    channel = first_channel + lane
    if RAGGED:
        base = tl.load(table + picture * 4).to(images.dtype)
        channel_stride = tl.load(table + picture * 4 + 1)
        row_stride = tl.load(table + picture * 4 + 2)
        column_stride = tl.load(table + picture * 4 + 3)
    else:
        base = images + picture.to(tl.int64) * batch_stride
    x0, x_taken = _span(source + picture * 4)
    y0, y_taken = _span(source + picture * 4 + 1)
    x_start, x_drawn = _span(target + picture * 4)
    y_start, y_drawn = _span(target + picture * 4 + 1)
    corner = channel.to(tl.int64) * channel_stride + y0.to(tl.int64) * row_stride + x0.to(tl.int64) * column_stride
    base += corner
    row_step, column_step = row_stride.to(tl.int32), column_stride.to(tl.int32)
    x_unit, x_support = _reach(x_taken, x_drawn, CUBIC, ANTIALIAS)
    y_unit, y_support = _reach(y_taken, y_drawn, CUBIC, ANTIALIAS)

    x = left + tl.arange(0, COLUMNS)
    seen = tl.where(tl.load(flipped + picture) != 0, width - 1 - x, x) - x_start
    x_inside = (seen >= 0) & (seen < x_drawn) & (x < width) & (x_taken > 0)
    seen = tl.minimum(tl.maximum(seen, 0), tl.maximum(x_drawn - 1, 0))
    x_first = _first(seen, x_taken, x_drawn, x_support)
    x_taps = x_support // tl.maximum(x_drawn, 1) + 1
    x_sum = tl.zeros((COLUMNS,), tl.float32)
    for tap in range(x_taps):
        x_sum += _weight(x_first + tap, seen, x_taken, x_drawn, x_unit, CUBIC)
    x_scale = 1.0 / tl.where(x_inside, x_sum, 1.0)

    y = top + tl.arange(0, ROWS)
    wanted = y - y_start
    y_inside = (wanted >= 0) & (wanted < y_drawn) & (y < height) & (y_taken > 0) & (x_taken > 0)
    lowest = tl.minimum(tl.maximum(top - y_start, 0), tl.maximum(y_drawn - 1, 0))
    highest = tl.minimum(tl.maximum(top + ROWS - 1 - y_start, 0), tl.maximum(y_drawn - 1, 0))
    begin = _first(lowest, y_taken, y_drawn, y_support)
    end = _first(highest, y_taken, y_drawn, y_support) + y_support // tl.maximum(y_drawn, 1) + 1
    missed = (top + ROWS <= y_start) | (top >= y_start + y_drawn) | (x_taken <= 0)  # by the target, or all
    end = tl.where(missed, begin, tl.minimum(end, y_taken))

    total = tl.zeros((ROWS, COLUMNS), tl.float32)
    y_sum = tl.zeros((ROWS,), tl.float32)
    for first in range(begin, end, DEPTH):
        row = first + tl.arange(0, DEPTH)
        rows = row * row_step
        filtered = tl.zeros((DEPTH, COLUMNS), tl.float32)
        for tap in range(x_taps):
            column = x_first + tap
            weight = _weight(column, seen, x_taken, x_drawn, x_unit, CUBIC) * x_scale
            there = (row < end)[:, None] & (x_inside & (column < x_taken))[None, :]
            pixels = tl.load(base + (rows[:, None] + (column * column_step)[None, :]), mask=there, other=0)
            filtered += pixels.to(tl.float32) * weight[None, :]
        if BYTES_IN and CUBIC:
            filtered = tl.minimum(tl.maximum(filtered, 0.0), 255.0)
        weights = _weight(row[None, :], wanted[:, None], y_taken, y_drawn, y_unit, CUBIC)
        weights = tl.where(y_inside[:, None] & (row < end)[None, :], weights, 0.0)
        y_sum += tl.sum(weights, axis=1)
        total = tl.dot(weights, filtered, total, input_precision=PRECISION)

    values = total / tl.where(y_inside, y_sum, 1.0)[:, None]
    if BYTES_IN and CUBIC:
        values = tl.minimum(tl.maximum(values, 0.0), 255.0)
    slope, offset = _of(lane, slope_0, slope_1, slope_2, slope_3), _of(lane, offset_0, offset_1, offset_2, offset_3)
    values = values * slope + offset
    if BYTES_OUT:
        values = tl.minimum(tl.maximum(tl.floor(values + 0.5), 0.0), 255.0)
    drawn = y_inside[:, None] & x_inside[None, :]
    values = tl.where(drawn, values, _of(lane, colour_0, colour_1, colour_2, colour_3))
    place = output + (picture.to(tl.int64) * channels + channel) * height * width + y[:, None] * width + x[None, :]
    tl.store(place, values.to(output.dtype.element_ty), mask=(y < height)[:, None] & (x < width)[None, :])


@triton.jit
def nearest(
    maps,
    table,
    source,
    target,
    flipped,
    output,
    batch_stride,
    channel_stride,
    row_stride,
    column_stride,
    height,
    width,
    count,
    fill,
    RAGGED: tl.constexpr,
    BLOCK: tl.constexpr,
):
    """Draw BLOCK pixels of the outputs of maps, whose values are names: each takes the pixel under its centre."""
    across = tl.cdiv(height * width, BLOCK)
    number = tl.program_id(0)
    channel, picture = number // across % count, number // (across * count)
    if RAGGED:
        base = tl.load(table + picture * 4).to(maps.dtype)
        channel_stride = tl.load(table + picture * 4 + 1)
        row_stride = tl.load(table + picture * 4 + 2)
        column_stride = tl.load(table + picture * 4 + 3)
    else:
        base = maps + picture.to(tl.int64) * batch_stride
    base += channel.to(tl.int64) * channel_stride
    place = number % across * BLOCK + tl.arange(0, BLOCK)
    x, y = place % width, place // width
    x0, x_taken = _span(source + picture * 4)
    y0, y_taken = _span(source + picture * 4 + 1)
    x_start, x_drawn = _span(target + picture * 4)
    y_start, y_drawn = _span(target + picture * 4 + 1)
    seen = tl.where(tl.load(flipped + picture) != 0, width - 1 - x, x) - x_start
    wanted = y - y_start
    inside = (seen >= 0) & (seen < x_drawn) & (wanted >= 0) & (wanted < y_drawn) & (x_taken > 0) & (y_taken > 0)
    seen, wanted = tl.where(inside, seen, 0), tl.where(inside, wanted, 0)
    column = x0 + (2 * seen + 1) * x_taken // (2 * tl.maximum(x_drawn, 1))
    row = y0 + (2 * wanted + 1) * y_taken // (2 * tl.maximum(y_drawn, 1))
    values = tl.load(
        base + row.to(tl.int64) * row_stride + column.to(tl.int64) * column_stride, mask=inside, other=fill
    )
    there = place < height * width
    tl.store(output + (picture.to(tl.int64) * count + channel) * height * width + place, values, mask=there)


@triton.jit
def _span(ends):
    """Return where a rectangle starts along one axis, and how long it is; of (x0, y0, x1, y1), from x0 or y0 on."""
    start = tl.load(ends).to(tl.int32)
    return start, tl.load(ends + 2).to(tl.int32) - start


@triton.jit
def _reach(taken, drawn, CUBIC: tl.constexpr, ANTIALIAS: tl.constexpr):
    """Return the filter's unit of length, and how far it reaches."""
    unit = 2 * drawn
    if ANTIALIAS:
        unit = 2 * tl.maximum(taken, drawn)
    if CUBIC:
        return unit, 2 * unit
    else:
        return unit, unit


@triton.jit
def _first(wanted, taken, drawn, support):
    """Return the first source pixel that the filter around an output pixel reaches; what is divided is not negative."""
    reached = (2 * wanted + 1) * taken - support - drawn
    return tl.where(reached >= 0, reached // (2 * tl.maximum(drawn, 1)) + 1, 0)


@triton.jit
def _weight(given, wanted, taken, drawn, unit, CUBIC: tl.constexpr):
    """Return how much source pixels count in output pixels, before weights are made to sum to 1."""
    distance = tl.abs((2 * given + 1) * drawn - (2 * wanted + 1) * taken)
    if CUBIC:
        far = tl.minimum(distance.to(tl.float32) / tl.maximum(unit, 1), 2.0)  # where the cubic is 0
        weight = tl.where(far < 1, (1.5 * far - 2.5) * far * far + 1, ((2.5 - 0.5 * far) * far - 4) * far + 2)
    else:
        weight = tl.maximum(unit - distance, 0).to(tl.float32) / tl.maximum(unit, 1)
    return tl.where(given < taken, weight, 0.0)


@triton.jit
def _of(lane, value_0, value_1, value_2, value_3):
    """Return the value of a lane."""
    return tl.where(lane == 0, value_0, tl.where(lane == 1, value_1, tl.where(lane == 2, value_2, value_3)))
