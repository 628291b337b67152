#!/usr/bin/python3
"""Pictures decoded and scaled by PIL beside ours.

usage: compare_pil.py PROGRAM [PICTURE...]    (PROGRAM: fearnet_media_numbers; Debian: python3-pil, python3-numpy)

Without pictures it draws its own, in every format, color type and orientation. Exits 1 when a decoded value differs by
more than 1 or a scaled value by more than 1.5 of 255 (PIL rounds twice), 77 without PIL.
"""
import os
import subprocess
import sys
import tempfile

try:
    import numpy as np
    from PIL import Image, ImageOps
except ImportError:
    print("skipped: no PIL or numpy; apt-get install python3-pil python3-numpy")
    sys.exit(77)

MOST_DECODED, MOST_SCALED = 1, 1.5


def draw(width, height, channels, seed=0):
    """Smooth waves, some noise."""
    rng = np.random.default_rng(seed)
    y, x = np.mgrid[:height, :width]
    planes = [np.sin(x / (5 + 3 * c)) + np.cos(y / (7 + c)) + 0.1 * rng.standard_normal((height, width))
              for c in range(channels)]
    values = np.clip(np.stack(planes, 2) * 60 + 128, 0, 255).astype(np.uint8)
    return values if channels > 1 else values[:, :, 0]


def own_pictures(folder):
    """Yields paths. PIL writes neither interlaced nor gray 16-bit alpha PNG; tests/data covers the former."""
    def save(name, picture, **options):
        path = os.path.join(folder, name)
        picture.save(path, **options)
        return path

    rgb, rgba = Image.fromarray(draw(61, 47, 3)), Image.fromarray(draw(61, 47, 4))
    gray = Image.fromarray(draw(61, 47, 1))
    for subsampling in (0, 1, 2):
        yield save(f"s{subsampling}.jpg", rgb, quality=90, subsampling=subsampling)
    yield save("progressive.jpg", rgb, progressive=True)
    yield save("gray.jpg", gray)
    yield save("inks.jpg", Image.fromarray(draw(61, 47, 4), "CMYK"))
    yield save("rgb.png", rgb)
    yield save("rgba.png", rgba)
    yield save("gray.png", gray)
    yield save("gray_alpha.png", rgba.convert("LA"))
    yield save("bits.png", gray.convert("1"))
    yield save("palette.png", rgb.quantize(200))
    yield save("palette_few.png", rgb.quantize(4))
    yield save("palette_clear.png", rgb.quantize(16), transparency=3)
    yield save("lossy.webp", rgb, quality=80)
    yield save("lossless.webp", rgb, lossless=True)
    yield save("alpha.webp", rgba, lossless=True)
    yield save("alpha_lossy.webp", rgba, quality=80)
    yield save("one.png", rgb.crop((0, 0, 1, 1)))
    yield save("one.jpg", rgb.crop((0, 0, 1, 1)))
    yield save("large.png", Image.fromarray(draw(900, 700, 3)))
    yield save("narrow.png", Image.fromarray(draw(5, 300, 3)))
    for orientation in range(1, 9):
        exif = Image.Exif()
        exif[0x0112] = orientation
        for kind in ("jpg", "png", "webp"):
            yield save(f"turned{orientation}.{kind}", rgb, exif=exif.tobytes(), **(
                {"lossless": True} if kind == "webp" else {}))


def by_pil(path):
    picture = Image.open(path)
    if picture.mode in ("RGBA", "LA", "P"):
        picture = picture.convert("RGBA")
        white = Image.new("RGBA", picture.size, "white")
        picture = Image.alpha_composite(white, picture)
        picture.info["exif"] = Image.open(path).info.get("exif", b"")
    return ImageOps.exif_transpose(picture).convert("RGB")


def scaled_by_pil(picture, short, crop_width, crop_height):
    """torchvision's Resize and CenterCrop."""
    width, height = picture.size
    if width <= height:
        size = short, int(short * height / width)
    else:
        size = int(short * width / height), short
    left, top = int(round((size[0] - crop_width) / 2)), int(round((size[1] - crop_height) / 2))
    scaled = picture.resize(size, Image.BILINEAR).crop((left, top, left + crop_width, top + crop_height))
    values = np.asarray(scaled)
    return values.transpose(2, 0, 1) if values.ndim == 3 else values


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    program = sys.argv[1]
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "out")
        pictures, decoded, scaled, bad = 0, 0, 0, []
        for path in sys.argv[2:] or own_pictures(folder):
            picture = by_pil(path)
            subprocess.run([program, "image", path, out], check=True)
            width, height = np.fromfile(out, np.int32, 2)
            ours = np.fromfile(out, np.uint8, offset=8).reshape(height, width, 3)
            if (width, height) != picture.size:
                sys.exit(f"{path}: {width} x {height}, PIL: {picture.size}")
            difference = np.abs(ours.astype(int) - np.asarray(picture)).max()
            decoded = max(decoded, difference)
            worst = 0
            for short, crop_width, crop_height in ((40, 40, 32), (97, 60, 97), (23, 22, 17)):
                subprocess.run([program, "tensor", path, out, str(short), str(crop_width), str(crop_height)],
                               check=True)
                tensor = np.fromfile(out, np.float32).reshape(3, crop_height, crop_width)
                theirs = scaled_by_pil(Image.fromarray(ours), short, crop_width, crop_height)
                worst = max(worst, np.abs(tensor - theirs).max())
            scaled = max(scaled, worst)
            if difference > MOST_DECODED or worst > MOST_SCALED:
                bad.append(f"{os.path.basename(path)}: decoded {difference}, scaled {worst:.3g}")
            pictures += 1
        print(f"{pictures} pictures: largest difference from PIL {Image.__version__} decoded {decoded}, "
              f"scaled {scaled:.3g} of 255")
        if bad:
            sys.exit("\n".join(bad))


if __name__ == "__main__":
    main()
