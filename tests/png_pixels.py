"""Reads PNG files, for tests that compare pictures."""
import struct
import zlib


def pixels(path):
    """Returns the samples of a PNG file of 8 bits, row after row, its width, and the number of samples per pixel."""
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
    before = bytearray(stride)
    for y in range(height):
        how, row = raw[y * (stride + 1)], bytearray(raw[y * (stride + 1) + 1:(y + 1) * (stride + 1)])
        for x in range(stride):
            left, up = row[x - samples] if x >= samples else 0, before[x]
            corner = before[x - samples] if x >= samples else 0
            if how == 4:
                guess = left + up - corner
                nearest = min((abs(guess - left), 0, left), (abs(guess - up), 1, up), (abs(guess - corner), 2, corner))
                row[x] = (row[x] + nearest[2]) & 255
            else:
                row[x] = (row[x] + (0, left, up, (left + up) // 2)[how]) & 255
        rows += row
        before = row
    return rows, width, samples
