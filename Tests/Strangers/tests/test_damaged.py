"""Damaged pictures in every format: hubpair says of each what it is, crashes on none, and reads no other text out of it
than the one that was drawn. HUBPAIR_SEED repeats a run, HUBPAIR_DAMAGED makes it longer."""
import json
import os
import pathlib
import random
import struct
import subprocess
import tempfile
import unittest
import warnings
import zlib

from PIL import Image

HUBPAIR = os.environ["HUBPAIR"]
COUNT = int(os.environ.get("HUBPAIR_DAMAGED", "600"))
TEXT = "Left open: door of the garage"
BATCH = 200
# A batch has this long; a file of this size takes 20 ms, and none more than the bound of a file.
SECONDS = 300


def originals(work):
    """The bytes of one picture of TEXT in every format and variant that hubpair reads, by name."""
    # Pillow's advice about palettes.
    warnings.filterwarnings("ignore", module="PIL")
    subprocess.run(["qrencode", "-s", "4", "-l", "L", "-o", work / "plain.png", TEXT], check=True)
    code = Image.open(work / "plain.png").convert("L")
    colour = code.convert("RGB")
    save = {
        "code.gif": (code, {}), "grey.bmp": (code, {}), "colour.bmp": (colour, {}), "grey.pgm": (code, {}),
        "bits.pbm": (code.convert("1"), {}), "colour.ppm": (colour, {}), "grey.jpg": (code, {}),
        "tagged.jpg": (colour, {"progressive": True, "exif": b"Exif\0\0II*\0" + bytes(40), "icc_profile": bytes(99)}),
        "ink.jpg": (code.convert("CMYK"), {}), "colour.webp": (colour, {}),
        "alpha.webp": (code.convert("RGBA"), {"lossless": True}), "palette.png": (code.quantize(4), {"bits": 2}),
        "rgb.png": (colour, {}), "deep.png": (code.convert("I").point(lambda value: value * 257).convert("I;16"), {}),
        "frames.gif": (code, {"save_all": True, "append_images": [code.rotate(90), code], "duration": 9}),
        "frames.png": (code, {"save_all": True, "append_images": [code.rotate(90)], "duration": 9}),
        "frames.webp": (colour, {"save_all": True, "append_images": [colour.rotate(90)], "duration": 9}),
        "page.pdf": (code, {}),
    }
    for name, (picture, options) in save.items():
        picture.save(work / name, **options)
    for name, options in {"code.heic": [], "code.avif": ["-A", "-p", "speed=9"]}.items():
        subprocess.run(["heif-enc", "-q", "50", *options, "-o", work / name, work / "rgb.png"], check=True,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    for name, options in {"restart.jpg": ["-restart", "2B"], "arithmetic.jpg": ["-arithmetic"]}.items():
        subprocess.run(["cjpeg", *options, "-outfile", work / name, work / "colour.ppm"], check=True)
    return {path.name: path.read_bytes() for path in sorted(work.iterdir())}


def with_checksums(png):
    """The same PNG with a right checksum for each chunk, as far as its lengths lead: what a decoder gets to see."""
    mended, at = bytearray(png), 8
    while at + 12 <= len(mended):
        length = struct.unpack_from(">I", mended, at)[0]
        if at + 12 + length > len(mended):
            break
        struct.pack_into(">I", mended, at + 8 + length, zlib.crc32(mended[at + 4:at + 8 + length]))
        at += 12 + length
    return bytes(mended)


def damaged(chance, data, others):
    """`data` after one to four faults: cut, bits, fields, ranges that are lost, doubled, moved or another file's."""
    data = bytearray(data)
    for _ in range(chance.choice([1, 1, 1, 2, 4])):
        if len(data) < 16:
            break
        # Headers decide most, so half of the faults are near the beginning.
        at = chance.randrange(min(len(data), 200) if chance.random() < 0.5 else len(data))
        size = min(len(data) - at, chance.choice([1, 2, 4, 16, 200]))
        kind = chance.choice(["cut", "bit", "bit", "field", "field", "noise", "lost", "twice", "other"])
        if kind == "cut":
            del data[at:]
        elif kind == "bit":
            data[at] ^= 1 << chance.randrange(8)
        elif kind == "field":
            limits = [0, 1, 0x7F, 0x80, 0xFF, 0x7FFF, 0xFFFF, 0x7FFFFFFF, 0xFFFFFFFF]
            value = chance.choice([*limits, chance.getrandbits(32)])
            form = chance.choice([">I", "<I", ">H", "<H"])
            width = struct.calcsize(form)
            if at + width <= len(data):
                struct.pack_into(form, data, at, value & (1 << 8 * width) - 1)
        elif kind == "noise":
            data[at:at + size] = chance.randbytes(size)
        elif kind == "lost":
            del data[at:at + size]
        elif kind == "twice":
            data[at:at] = data[at:at + size] * chance.choice([1, 3, 50])
        else:
            other = chance.choice(others)
            data[at:] = other[min(at, len(other) - 1):] if chance.random() < 0.5 else other[:200] + data[at:]
    if data[:4] == b"\x89PNG" and chance.random() < 0.7:
        return with_checksums(data)
    return bytes(data)


class Damaged(unittest.TestCase):
    def test_damaged_pictures(self):
        seed = int(os.environ.get("HUBPAIR_SEED", random.randrange(1 << 32)))
        print(f"HUBPAIR_SEED={seed}, {COUNT} files")
        chance = random.Random(seed)
        with tempfile.TemporaryDirectory() as directory:
            work = pathlib.Path(directory)
            (work / "whole").mkdir()
            pictures = originals(work / "whole")
            names = list(pictures)
            whole = self.scan([work / "whole" / name for name in names])
            for name in names:
                self.assertEqual([line.get("text") for line in whole[str(work / "whole" / name)]][:1], [TEXT], name)
            read = 0
            for begin in range(0, COUNT, BATCH):
                paths = []
                for number in range(begin, min(begin + BATCH, COUNT)):
                    name = names[number % len(names)]
                    path = work / f"{number}-{name}"
                    path.write_bytes(damaged(chance, pictures[name], list(pictures.values())))
                    paths.append(path)
                read += sum(self.check(path, lines) for path, lines in self.scan(paths).items())
                for path in paths:
                    path.unlink()
            print(f"{read} of {COUNT} were read all the same")
            # Faults in a file are no excuse to give up: a bit in the middle of a picture hardly ever matters.
            self.assertGreater(read, COUNT // 10)

    def scan(self, paths):
        """The lines for each file."""
        process = subprocess.run([HUBPAIR, "scan", "--json", *paths], capture_output=True, timeout=SECONDS)
        self.assertIn(process.returncode, (0, 1, 65), process.stderr.decode(errors="replace")[-2000:])
        lines = {str(path): [] for path in paths}
        for line in process.stdout.splitlines():
            value = json.loads(line)
            lines[value["file"]].append(value)
        return lines

    def check(self, path, lines):
        """True if the text was read. A decoder that crashes takes its child process with it: `search_failed`."""
        self.assertTrue(lines, f"{path}: no line")
        for line in lines:
            if line["kind"] != "none" and line.get("text") == TEXT:
                continue
            if line["kind"] == "none" and line["reason"] not in ("search_failed", "decoder_missing"):
                continue
            kept = f"/tmp/{path.name}"
            pathlib.Path(kept).write_bytes(path.read_bytes())
            self.fail(f"{kept}: {line}")
        return lines[0]["kind"] != "none"


if __name__ == "__main__":
    unittest.main()
