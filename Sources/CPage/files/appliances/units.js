// What levels count: parts of a hundred, or degrees, minutes and whatever a house has said of them.

import { kept, locale } from "./text.js";

const numbers = new Intl.NumberFormat(locale, { maximumFractionDigits: 3, useGrouping: false });

// As exact as a tenth of a percent of the range, which is what appliances do; the hub rounds so, too.
function rounded(value, width) {
  const step = width / 1000, digits = step >= 0.5 ? 1 : step >= 0.005 ? 10 : 1000;
  return Math.round(value * digits) / digits + 0;
}

// The step of − and +: what one would say.
function stepOf(width) {
  return width <= 1 ? 0.05 : width <= 5 ? 0.1 : width <= 60 ? 0.5 : width <= 200 ? 1 : width <= 1000 ? 5 : 10;
}

export class Scale {
  // unit: {unit, from, to}, or nothing: percent.
  constructor(unit) {
    let { unit: symbol = "%", from = 0, to = 100 } = unit ?? {};
    const isTemperature = /^(°\s?[CF]|[℃℉])$/.test(symbol);
    const isFahrenheit = /[F℉]$/.test(symbol), wanted = kept("degrees");
    if (isTemperature && wanted === "F" && !isFahrenheit) {
      [symbol, from, to] = ["°F", from * 1.8 + 32, to * 1.8 + 32];
    } else if (isTemperature && wanted === "C" && isFahrenheit) {
      [symbol, from, to] = ["°C", (from - 32) / 1.8, (to - 32) / 1.8];
    }
    [this.symbol, this.from, this.to] = [symbol, from, to];
    this.isPercent = unit === undefined || unit === null;
    this.step = this.isPercent ? 1 : isTemperature ? (symbol.endsWith("F") ? 1 : 0.5) : stepOf(to - from);
    // What a press of − or + does.
    this.press = this.isPercent ? 10 : symbol === "min" ? 5 : this.step;
  }
  value(level) { return rounded(this.from + level * (this.to - this.from), this.to - this.from); }
  // The level, 0 to 1, of a value; ends are exact.
  level(value) { return Math.min(1, Math.max(0, (value - this.from) / (this.to - this.from))); }
  say(value) { return `${numbers.format(value)} ${this.symbol}`; }
  text(level) { return this.say(this.isPercent ? Math.round(level * 100) : this.value(level)); }
  // The next value above (1) or below (-1) the one that the level is, on the steps of − and +.
  next(level, way) {
    const at = this.value(level) / this.press, near = 1e-6;
    const step = way > 0 ? Math.floor(at + near) + 1 : Math.ceil(at - near) - 1;
    return Math.min(this.to, Math.max(this.from, Number((step * this.press).toFixed(3))));
  }
}
export const percent = new Scale();
