// Colours that have a word, by their hue: the part of the way around from red. And white, from warm to cold.
// The hub's table is the same (ColourWords), and a test holds both against Tests/Kinds/colours.txt.

import { m, t } from "./text.js";
import { wordsOf } from "./kinds.js";

export const hues = [
  [m("Red"), 0], [m("Vermilion"), 15], [m("Orange"), 30], [m("Amber"), 42], [m("Gold"), 50], [m("Yellow"), 60], [m("Lime"), 80],
  [m("Light green"), 100], [m("Green"), 120], [m("Emerald"), 140], [m("Mint"), 155], [m("Turquoise"), 172], [m("Cyan"), 185],
  [m("Sky blue"), 200], [m("Azure"), 215], [m("Blue"), 240], [m("Indigo"), 255], [m("Violet"), 272], [m("Purple"), 288],
  [m("Magenta"), 302], [m("Pink"), 328], [m("Crimson"), 345],
];
export const whites = [
  [m("Candlelight"), 0], [m("Warm white"), 25], [m("Neutral white"), 50], [m("Cool white"), 75], [m("Daylight"), 100],
];

const isCalled = (activator, ...words) => wordsOf(activator.name).some((each) => words.includes(each));
const isTemperature = (activator) => isCalled(
  activator, "temperature", "temperatur", "white", "weiss", "warmth", "warme", "farbtemperatur", "ct", "kelvin");

// Which strip an activator of a light is set with: "hue", "white" or null.
export function stripOf(activator, kind) {
  if (kind !== "light" || !activator.isLevel || activator.unit) return null;
  if (isTemperature(activator)) return "white";
  return isCalled(activator, "color", "colour", "hue", "farbe", "farbton") ? "hue" : null;
}

// The nearest word; a hue goes around.
export function colourWord(strip, level) {
  const [table, size] = strip === "hue" ? [hues, 360] : [whites, 100];
  const far = (place) => {
    const distance = Math.abs(place - level * size);
    return strip === "hue" ? Math.min(distance, size - distance) : distance;
  };
  return t(table.reduce((best, each) => (far(each[1]) < far(best[1]) ? each : best))[0]);
}
