"""Paper that is not flat, and what a camera sees of it. For make-crowds.

A surface is a function: a point of the flat paper, from its middle, to its place in space; x to the right, y down, z
away from the camera. Units are modules.
"""
import math

import cv2
import numpy as np


def cylinder(radius, angle):
    """Around a can, whose axis is turned by `angle`."""
    c, s = math.cos(angle), math.sin(angle)
    def place(u, v):
        across, along = c * u + s * v, c * v - s * u
        bend = np.clip(across / radius, -1.5, 1.5)
        x, z = radius * np.sin(bend), radius * (1 - np.cos(bend))
        return c * x - s * along, s * x + c * along, z
    return place


def waves(height, length, angle, phase):
    """Sine waves; the paper lies along them, so that it is shorter from above."""
    c, s = math.cos(angle), math.sin(angle)
    pulse = 2 * math.pi / length
    def place(u, v):
        across, along = c * u + s * v, c * v - s * u
        at = pulse * across + phase
        # The length of the arc, to second order of the slope.
        x = across / math.sqrt(1 + (height * pulse) ** 2 / 2) - height * height * pulse / 8 * np.sin(2 * at)
        return c * x - s * along, s * x + c * along, height * np.sin(at)
    return place


def wrinkles(rng, side):
    """Three to nine ridges across the paper."""
    ridges = [(rng.uniform(0, math.pi), rng.uniform(-side / 2, side / 2), rng.uniform(0.3, 1.4), rng.uniform(2, 7))
              for _ in range(rng.randint(3, 9))]
    def place(u, v):
        z = 0 * u
        for angle, offset, height, width in ridges:
            z = z + height * np.exp(-((math.cos(angle) * u + math.sin(angle) * v - offset) / width) ** 2)
        return u, v, z
    return place


def crumpled(rng, side):
    """Paper that was crumpled and smoothed by hand: some 30 sharp folds of random length, up and down."""
    folds = [(rng.uniform(0, math.pi), rng.uniform(-side / 2, side / 2), rng.uniform(-side / 2, side / 2),
              rng.uniform(0.15, 0.5) * side, rng.uniform(0.3, 1.0) * rng.choice((-1, 1)), rng.uniform(1.5, 5))
             for _ in range(rng.randint(20, 40))]
    def place(u, v):
        z = 0 * u
        for angle, x, y, length, height, width in folds:
            along = math.cos(angle) * (u - x) + math.sin(angle) * (v - y)
            across = math.cos(angle) * (v - y) - math.sin(angle) * (u - x)
            z = z + height * np.exp(-(along / length) ** 2) * np.clip(1 - np.abs(across) / width, 0, 1)
        return u, v, z
    return place


def seen(page, drawn, place, size, pitch, pose, shade):
    """What a picture of `size` (width, height) shows: the print, the light on the paper, and how much of each pixel
    the paper covers, 0 to 1 each.

    `page`: 0 dark to 1 light, `drawn` pixels a module. `pitch`: pixels a module in the middle of the picture.
    `pose`: tilt, axis and rotation in degrees, and the distance of the camera in sides of the paper. `shade`: how
    much darker a slope is.
    """
    width, height = size
    tall, wide = (side / drawn for side in page.shape)
    tilt, axis, rotation = (math.radians(pose[name]) for name in ("tilt", "axis", "rotation"))
    def about_z(angle):
        return np.array([[math.cos(angle), -math.sin(angle), 0], [math.sin(angle), math.cos(angle), 0], [0, 0, 1]])
    turn = (about_z(axis) @ np.array([[1, 0, 0], [0, math.cos(tilt), -math.sin(tilt)],
                                      [0, math.sin(tilt), math.cos(tilt)]]) @ about_z(rotation - axis))
    distance = pose["distance"] * max(wide, tall)
    # Two samples a pixel each way; their mean is the pixel.
    focal = 2 * pitch * distance
    def projected(u, v):
        a, b, c = place(u, v)
        x, y, z = (row[0] * a + row[1] * b + row[2] * c for row in turn)
        return focal * x / (z + distance) + width, focal * y / (z + distance) + height

    # Which point of the paper is seen at a pixel has no formula: found step by step, for every fourth sample, and the
    # surfaces are smooth between those.
    step = 4
    x, y = (np.float32(step) * index + (step - 1) / 2
            for index in np.meshgrid(np.arange(math.ceil(2 * width / step)), np.arange(math.ceil(2 * height / step))))
    back = np.linalg.inv(focal / distance * turn[:2, :2])
    most = 1.5 * max(wide, tall)
    u, v = (row[0] * (x - width) + row[1] * (y - height) for row in back)
    for _ in range(25):
        px, py = projected(u, v)
        u = np.clip(u + 0.8 * (back[0, 0] * (x - px) + back[0, 1] * (y - py)), -most, most)
        v = np.clip(v + 0.8 * (back[1, 0] * (x - px) + back[1, 1] * (y - py)), -most, most)
    px, py = projected(u, v)
    slope_u, slope_v = ((place(u + a / 2, v + b / 2)[2] - place(u - a / 2, v - b / 2)[2]) for a, b in ((1, 0), (0, 1)))
    lit = 1 - shade * np.clip(0.7 * slope_u + 0.4 * slope_v, -0.8, 0.8)
    # Where no point of the paper is seen, the search has not ended.
    lit = np.where(np.abs(px - x) + np.abs(py - y) < 1, lit, -9)

    def whole(samples):
        large = cv2.resize(samples.astype(np.float32), None, fx=step, fy=step, interpolation=cv2.INTER_LINEAR)
        return large[:2 * height, :2 * width]
    u, v, lit = whole((u + wide / 2) * drawn - 0.5), whole((v + tall / 2) * drawn - 0.5), whole(lit)
    covered = (u > -0.5) & (u < page.shape[1] - 0.5) & (v > -0.5) & (v < page.shape[0] - 0.5) & (lit > 0)
    paper = cv2.remap(page.astype(np.float32), u, v, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    return (cv2.resize(np.where(covered, samples, 0).astype(np.float32), (width, height), interpolation=cv2.INTER_AREA)
            for samples in (paper * lit, lit, np.ones_like(lit)))
