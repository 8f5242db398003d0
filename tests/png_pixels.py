"""Reads PNG files, for tests that compare pictures."""
import struct
import zlib


def unfiltered(how, row, before, samples):
    """Undoes a filter of the PNG format, which stores a row as differences. Returns the row's samples, a bytearray.

    how: number of the filter, 0 to 4; row: the filtered row; before: the samples of the row above; samples: number
    of samples per pixel."""
    if how == 0:
        return row
    if how == 2:
        return bytearray((x + up) & 255 for x, up in zip(row, before))
    for channel in range(samples):
        left = corner = 0
        for x in range(channel, len(row), samples):
            up = before[x]
            if how == 1:
                guess = left
            elif how == 3:
                guess = (left + up) // 2
            else:
                to_left, to_up, to_corner = abs(up - corner), abs(left - corner), abs(left + up - 2 * corner)
                guess = corner
                if to_left <= to_up and to_left <= to_corner:
                    guess = left
                elif to_up <= to_corner:
                    guess = up
            row[x] = left = (row[x] + guess) & 255
            corner = up
    return row


def pixels(path):
    """Reads an RGB or RGBA file with 8 bits per sample. Returns the samples of all pixels, row by row from the top, the
    width of the picture in pixels, and the number of samples per pixel."""
    data, at, packed = path.read_bytes(), 8, b""
    while at < len(data):
        length, kind = struct.unpack(">I4s", data[at:at + 8])
        body = data[at + 8:at + 8 + length]
        if kind == b"IHDR":
            width, height, depth, color = struct.unpack(">IIBB", body[:10])
            assert depth == 8 and color in (2, 6), path
        if kind == b"IDAT":
            packed += body
        at += length + 12
    samples = 3 if color == 2 else 4
    raw, stride, rows = zlib.decompress(packed), width * samples, bytearray()
    row = bytearray(stride)
    for at in range(0, height * (stride + 1), stride + 1):
        row = unfiltered(raw[at], bytearray(raw[at + 1:at + 1 + stride]), row, samples)
        rows += row
    return rows, width, samples
