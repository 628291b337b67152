"""Draws stand-ins for the photographs of a camera at a bird feeder: birds on a branch, and a squirrel.

Pose, size, light, background and the shades of the plumage vary from picture to picture; the marks of a kind (a red breast,
a blue cap, a long tail) do not.
"""
import struct
import zlib

import numpy as np

SIZE = 256
SMOOTH = 2  # pixels are drawn so many times finer and averaged


def write_png(path, rgb):
    """Writes an array of height x width x 3 bytes."""
    height, width, _ = rgb.shape
    lines = np.concatenate([np.zeros((height, 1), np.uint8), rgb.reshape(height, -1)], axis=1).tobytes()

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(lines, 6)) + chunk(b"IEND", b""))


class Canvas:
    """Shapes in a picture; an animal is drawn in its own coordinates, which `place` sets."""

    def __init__(self, rng):
        self.rng = rng
        n = SIZE * SMOOTH
        self.y, self.x = np.mgrid[0:n, 0:n].astype(np.float32) / n * 2 - 1  # -1 to 1, down
        self.rgb = np.zeros((n, n, 3), np.float32)
        self.grain = 0.05 * rng.standard_normal((n, n), dtype=np.float32)
        self.place(0, 0, 1, 0, False)

    def place(self, x, y, scale, angle, mirrored):
        u, v = (self.x - x) / scale * (-1 if mirrored else 1), (self.y - y) / scale
        c, s = np.cos(angle), np.sin(angle)
        self.u, self.v = c * u + s * v, -s * u + c * v

    def paint(self, mask, color):
        shade = 1 + 0.12 * self.v[mask] + self.grain[mask]  # feathers: darker above, a little grain
        self.rgb[mask] = np.asarray(color) * np.clip(shade, 0.6, 1.3)[:, None]

    def ellipse(self, x, y, a, b, color, angle=0.0, within=None):
        c, s = np.cos(angle), np.sin(angle)
        u, v = c * (self.u - x) + s * (self.v - y), -s * (self.u - x) + c * (self.v - y)
        mask = (u / a) ** 2 + (v / b) ** 2 < 1
        self.paint(mask if within is None else mask & within, color)
        return mask

    def polygon(self, points, color):
        """A convex polygon, its corners in clockwise order on the screen."""
        mask = np.ones_like(self.u, bool)
        for (ax, ay), (bx, by) in zip(points, points[1:] + points[:1]):
            mask &= (bx - ax) * (self.v - ay) - (by - ay) * (self.u - ax) >= 0
        self.paint(mask, color)

    def done(self):
        light = self.rng.uniform(0.75, 1.2)
        tint = self.rng.normal(1, 0.04, 3)
        n = SIZE
        small = self.rgb.reshape(n, SMOOTH, n, SMOOTH, 3).mean((1, 3)) * light * tint
        small += self.rng.normal(0, 4, small.shape)
        return np.clip(small, 0, 255).astype(np.uint8)


def garden(canvas):
    """Out-of-focus leaves or sky, and a branch or the rim of the feeder."""
    rng = canvas.rng
    base = np.array([[150, 190, 225], [90, 130, 70], [120, 120, 90], [170, 175, 165]][rng.integers(4)], float)
    canvas.rgb[:] = base * (1 - 0.15 * canvas.y[..., None])
    for _ in range(rng.integers(5, 14)):
        color = base * rng.uniform(0.7, 1.2) + rng.normal(0, 8, 3)
        canvas.ellipse(rng.uniform(-1, 1), rng.uniform(-1, 1), rng.uniform(0.15, 0.5), rng.uniform(0.15, 0.5), color)
    height, tilt, wood = rng.uniform(0.42, 0.55), rng.uniform(-0.1, 0.1), np.array([110, 80, 55]) * rng.uniform(0.7, 1.2)
    thick = rng.uniform(0.06, 0.14)
    canvas.paint(np.abs(canvas.y - height - thick - tilt * canvas.x) < thick, wood)
    return height


def shade(rng, color):
    """The same color, a little different from animal to animal."""
    return np.clip(np.asarray(color, float) * rng.uniform(0.88, 1.12) + rng.normal(0, 5, 3), 0, 255)


# Of each kind: back, belly, breast, head, cap, cheek, wing, bar on the wing, beak; length of the tail and of the beak, size.
BIRDS = {
    "robin": dict(back=(120, 95, 65), belly=(225, 220, 210), breast=(225, 95, 30), head=(120, 95, 65), cheek=(225, 95, 30),
                  wing=(110, 85, 60), beak=(60, 45, 40), tail=0.35, bill=0.10, size=0.85),
    "blue-tit": dict(back=(110, 140, 90), belly=(245, 215, 60), breast=(245, 215, 60), head=(240, 240, 240), cap=(50, 110, 210),
                     line=(30, 40, 70), wing=(60, 110, 190), bar=(240, 240, 240), beak=(50, 50, 60), tail=0.35, bill=0.06,
                     size=0.75),
    "magpie": dict(back=(25, 25, 35), belly=(245, 245, 245), breast=(25, 25, 35), head=(20, 20, 28), wing=(30, 50, 95),
                   bar=(245, 245, 245), beak=(20, 20, 20), tail=1.0, bill=0.17, size=1.0),
    "woodpecker": dict(back=(25, 25, 25), belly=(230, 215, 190), breast=(230, 215, 190), head=(25, 25, 25), cap=(205, 25, 35),
                       cheek=(240, 240, 235), wing=(25, 25, 25), spots=(245, 245, 245), vent=(205, 25, 35), beak=(45, 45, 45),
                       tail=0.4, bill=0.24, size=0.95, upright=True),
    "bullfinch": dict(back=(130, 135, 145), belly=(215, 90, 90), breast=(225, 95, 95), head=(215, 90, 90), cap=(20, 20, 25),
                      wing=(30, 30, 35), bar=(225, 225, 225), beak=(30, 30, 30), tail=0.35, bill=0.06, size=0.88),
    "pigeon": dict(back=(140, 145, 155), belly=(165, 170, 180), breast=(110, 115, 140), head=(85, 95, 110),
                   cheek=(60, 125, 100), wing=(170, 175, 185), bar=(45, 45, 50), vent=(235, 235, 235), beak=(90, 80, 80),
                   tail=0.45, bill=0.08, size=1.05),
    "goldfinch": dict(back=(185, 140, 95), belly=(235, 225, 210), breast=(205, 165, 120), head=(240, 235, 225),
                      cap=(25, 25, 25), face=(200, 25, 35), wing=(25, 25, 25), bar=(250, 215, 30), beak=(235, 215, 195),
                      tail=0.35, bill=0.13, size=0.78),
}


def bird(kind, rng):
    marks = {name: shade(rng, value) if isinstance(value, tuple) else value for name, value in BIRDS[kind].items()}
    canvas = Canvas(rng)
    height = garden(canvas)
    scale = marks["size"] * rng.uniform(0.62, 0.85)
    angle = rng.uniform(-0.25, 0.15) - (0.8 if "upright" in marks else 0)
    canvas.place(rng.uniform(-0.2, 0.2), height - 0.5 * scale, scale, angle, rng.random() < 0.5)
    tail = marks["tail"]
    canvas.polygon([(-0.45, -0.08), (-0.4, 0.12), (-0.5 - tail, 0.3 + 0.2 * tail), (-0.55 - tail, 0.12 + 0.2 * tail)],
                   marks["back"])
    body = canvas.ellipse(0, 0.05, 0.55, 0.36, marks["back"], -0.25)
    canvas.ellipse(0.08, 0.25, 0.45, 0.28, marks["belly"], -0.3, body)
    canvas.ellipse(0.38, 0.08, 0.25, 0.27, marks["breast"], -0.3, body)
    if "vent" in marks:
        canvas.ellipse(-0.38, 0.27, 0.2, 0.16, marks["vent"], 0, body)
    turn = rng.uniform(-0.04, 0.04)
    head = canvas.ellipse(0.48, -0.28 + turn, 0.25, 0.24, marks["head"])
    if "cheek" in marks:
        canvas.ellipse(0.55, -0.2 + turn, 0.17, 0.15, marks["cheek"], 0, head)
    if "face" in marks:
        canvas.ellipse(0.66, -0.27 + turn, 0.16, 0.2, marks["face"], 0, head)
    if "cap" in marks:
        canvas.ellipse(0.44, -0.47 + turn, 0.25, 0.15, marks["cap"], 0, head)
    if "line" in marks:
        canvas.paint(head & (np.abs(canvas.v + 0.28 - turn) < 0.035), marks["line"])
    canvas.polygon([(0.7, -0.33 + turn), (0.72 + marks["bill"], -0.26 + turn), (0.7, -0.2 + turn)], marks["beak"])
    canvas.ellipse(0.55, -0.31 + turn, 0.035, 0.035, (15, 12, 12))
    wing = canvas.ellipse(-0.12, 0.02, 0.4, 0.2, marks["wing"], 0.25 + rng.normal(0, 0.05))
    if "bar" in marks:
        canvas.ellipse(-0.02, 0.03, 0.1, 0.2, marks["bar"], 0.5, wing)
    if "spots" in marks:
        for i in range(4):
            canvas.ellipse(-0.4 + 0.17 * i, 0.02 + 0.04 * (i % 2), 0.06, 0.05, marks["spots"], 0, wing)
    for x in (-0.02, 0.14):
        canvas.paint((np.abs(canvas.u - x) < 0.015) & (canvas.v > 0.35) & (canvas.v < 0.58), (90, 70, 60))
    return canvas.done()


def squirrel(rng):
    canvas = Canvas(rng)
    height = garden(canvas)
    fur, pale = shade(rng, (150, 75, 35)), shade(rng, (235, 215, 190))
    scale = rng.uniform(0.62, 0.8)
    canvas.place(rng.uniform(-0.15, 0.15), height - 0.55 * scale, scale, rng.uniform(-0.1, 0.1), rng.random() < 0.5)
    canvas.ellipse(-0.62, -0.2, 0.24, 0.62, fur * 0.9, 0.1)  # the tail, upright behind the back
    canvas.ellipse(-0.5, -0.68, 0.28, 0.2, fur * 0.9, 0.4)
    body = canvas.ellipse(0, 0.1, 0.36, 0.45, fur, 0.2)
    canvas.ellipse(0.2, 0.18, 0.2, 0.35, pale, 0.2, body)
    canvas.ellipse(-0.12, 0.42, 0.28, 0.18, fur)
    for x in (0.16, 0.34):
        canvas.polygon([(x - 0.06, -0.55), (x + 0.06, -0.55), (x, -0.85)][::-1], fur * 0.85)
    canvas.ellipse(0.28, -0.42, 0.24, 0.2, fur, 0.3)
    canvas.ellipse(0.34, -0.46, 0.04, 0.04, (15, 12, 12))
    canvas.ellipse(0.5, -0.36, 0.035, 0.03, (30, 20, 20))
    canvas.ellipse(0.3, 0.05, 0.2, 0.06, fur * 0.85, 0.2)  # a paw
    return canvas.done()


def write(folder, kind, count, seed, name="{:02}.png"):
    """Draws `count` pictures of a kind into a folder."""
    for i in range(count):
        rng = np.random.default_rng([seed, i, sum(kind.encode())])
        write_png(folder / name.format(i + 1), squirrel(rng) if kind == "squirrel" else bird(kind, rng))
