"""Makes the expected values next to this file, with Pillow 13.0.0, numpy and xxhash.

    python -m venv /tmp/venv && /tmp/venv/bin/pip install pillow==13.0.0 numpy xxhash
    /tmp/venv/bin/python tests/data/expected/make_expected.py

Digests are XXH3 (64 bit) of the pixels in row-major HWC order. Needed at development time only.
"""

import math
import pathlib
import random
import warnings

import numpy as np
import PIL
import xxhash
from PIL import Image

HERE = pathlib.Path(__file__).resolve().parent
DATA = HERE.parent
PHOTOS = sorted(p for p in (DATA / "photos").rglob("*.jpg"))
FILTERS = {"bilinear": Image.Resampling.BILINEAR, "bicubic": Image.Resampling.BICUBIC}


def digest(array):
    return xxhash.xxh3_64_hexdigest(np.ascontiguousarray(array).tobytes())


def name_of(path):
    return path.relative_to(DATA).as_posix()


def rgb(path):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return np.asarray(Image.open(path).convert("RGB"))


def pattern(height, width, channels, seed):
    """Pseudo-random bytes that the tests make again in C++."""
    i = np.arange(height * width * channels, dtype=np.uint32)
    x = i * np.uint32(2654435761) + np.uint32(seed) * np.uint32(40503)
    x ^= x >> np.uint32(15)
    x *= np.uint32(2246822519)
    x ^= x >> np.uint32(13)
    return (x & np.uint32(255)).astype(np.uint8).reshape(height, width, channels)


def resized(array, out_h, out_w, kind):
    image = Image.fromarray(array[:, :, 0] if array.shape[2] == 1 else array)
    result = np.asarray(image.resize((out_w, out_h), FILTERS[kind]))
    return result.reshape(out_h, out_w, array.shape[2])


def nearest(array, out_h, out_w):
    """The centre rule in exact integers."""
    h, w = array.shape[:2]
    rows = (2 * np.arange(out_h) + 1) * h // (2 * out_h)
    columns = (2 * np.arange(out_w) + 1) * w // (2 * out_w)
    return array[rows][:, columns]


def decode_lines():
    skip = ("truncated", "empty", "zeros", "bmp", "html", "animated", "bomb", "gray16", "XFM-02")
    cases = [p for p in sorted((DATA / "cases").glob("*.*")) if p.suffix.lower() != ".npy"]
    for path in PHOTOS + [p for p in cases if not any(word in p.name for word in skip)]:
        array = rgb(path)
        yield f"{array.shape[0]} {array.shape[1]} {digest(array)} {name_of(path)}"
    # Pillow clips 16 bits, the rule here is to scale; numpy says how.
    path = DATA / "cases" / "IMG-06_gray16.png"
    gray = np.asarray(Image.open(path)).astype(np.float64)
    gray = np.floor(gray * 255 / 65535 + 0.5).astype(np.uint8)
    array = np.repeat(gray[:, :, None], 3, axis=2)
    yield f"{array.shape[0]} {array.shape[1]} {digest(array)} {name_of(path)}"


def photo_resize_lines():
    draw = random.Random(7)
    for path in PHOTOS:
        array = rgb(path)
        h, w = array.shape[:2]
        jobs = [(0, 0, h, w, 224, 224), (0, 0, h, w, 256, max(1, w * 256 // h))]
        for _ in range(6):
            bh, bw = draw.randint(1, h), draw.randint(1, w)
            jobs.append((draw.randint(0, h - bh), draw.randint(0, w - bw), bh, bw,
                         draw.choice([1, 7, 64, 224, 300]), draw.choice([1, 9, 96, 224, 288])))
        for top, left, bh, bw, oh, ow in jobs:
            for kind in FILTERS:
                out = resized(array[top:top + bh, left:left + bw].copy(), oh, ow, kind)
                yield f"{top} {left} {bh} {bw} {oh} {ow} {kind} {digest(out)} {name_of(path)}"


def pattern_resize_lines():
    draw = random.Random(11)
    sides = [1, 2, 3, 4, 5, 8, 15, 16, 17, 31, 33, 64, 100, 224, 257]
    for seed in range(600):
        size = [draw.choice(sides) if draw.random() < 0.5 else draw.randint(1, 90)
                for _ in range(4)]
        h, w, oh, ow = size
        channels = draw.choice([1, 3, 3])
        for kind in FILTERS:
            out = resized(pattern(h, w, channels, seed), oh, ow, kind)
            yield f"{seed} {channels} {h} {w} {oh} {ow} {kind} {digest(out)}"
        out = nearest(pattern(h, w, channels, seed), oh, ow)
        yield f"{seed} {channels} {h} {w} {oh} {ow} nearest {digest(out)}"
    # Sizes at and around the limit at which the order of the passes changes.
    for seed in range(600, 640):
        w, oh = draw.randint(20, 60), draw.randint(5, 40)
        lost = draw.randint(0, 15)
        h = oh + 2 * lost + draw.randint(-1, 1)
        if h < 1:
            continue
        for kind in FILTERS:
            out = resized(pattern(h, w, 3, seed), oh, w - lost, kind)
            yield f"{seed} 3 {h} {w} {oh} {w - lost} {kind} {digest(out)}"


def normalize_lines():
    mean = np.array([0.485, 0.456, 0.406], dtype=np.float32)
    std = np.array([0.229, 0.224, 0.225], dtype=np.float32)
    for path in PHOTOS[:4]:
        unit = rgb(path).astype(np.float32) / np.float32(255)
        hwc = (unit - mean) / std
        assert hwc.dtype == np.float32
        yield f"{digest(hwc)} {digest(hwc.transpose(2, 0, 1))} {name_of(path)}"


def random_box(height, width, scale, ratio, uniform):
    """torchvision.transforms.RandomResizedCrop.get_params, with the draws handed in."""
    area = height * width
    low, high = math.log(ratio[0]), math.log(ratio[1])
    for _ in range(10):
        target = area * (scale[0] + (scale[1] - scale[0]) * uniform())
        aspect = math.exp(low + (high - low) * uniform())
        w = int(round(math.sqrt(target * aspect)))
        h = int(round(math.sqrt(target / aspect)))
        if 0 < w <= width and 0 < h <= height:
            top = int(uniform() * (height - h + 1))
            left = int(uniform() * (width - w + 1))
            return top, left, h, w
    whole = width / height
    h, w = height, width
    if whole < min(ratio):
        h = int(round(width / min(ratio)))
    elif whole > max(ratio):
        w = int(round(height * max(ratio)))
    return (height - h) // 2, (width - w) // 2, h, w


def box_lines():
    draw = random.Random(3)
    for i in range(120):
        height, width = draw.randint(1, 700), draw.randint(1, 700)
        scale = draw.choice([(0.08, 1.0), (0.5, 0.9), (0.9, 1.0)])
        ratio = draw.choice([(3 / 4, 4 / 3), (0.5, 2.0), (1.0, 1.0)])
        numbers = [draw.randrange(1 << 24) / (1 << 24) for _ in range(40)]
        box = random_box(height, width, scale, ratio, iter(numbers).__next__)
        yield " ".join(map(str, [height, width, *scale, *ratio, *box] +
                           [int(n * (1 << 24)) for n in numbers]))


def write(name, comment, lines):
    text = "".join(line + "\n" for line in lines)
    (HERE / name).write_text(f"# {comment}\n{text}")
    print(name, text.count("\n"))


def main():
    assert PIL.__version__ == "13.0.0", "the passes of a resize differ between versions"
    Image.MAX_IMAGE_PIXELS = None
    write("decode.txt", "height width digest file", decode_lines())
    write("resize_photos.txt", "top left height width out_height out_width filter digest file",
          photo_resize_lines())
    write("resize_patterns.txt", "seed channels height width out_height out_width filter digest",
          pattern_resize_lines())
    write("normalize.txt", "digest(HWC) digest(CHW) file", normalize_lines())
    write("random_boxes.txt", "height width scale scale ratio ratio top left height width draws/2^24",
          box_lines())


if __name__ == "__main__":
    main()
