// What appliances are set with: switches, verbs, up and down, − and +, sliders and strips of colours.

import { button, called, confirm, icon, make, say, sentence, set, toast } from "./dom.js";
import { colourWord, hues } from "./colours.js";
import { t } from "./text.js";

// Orders a state, once what must be asked is answered.
async function order(house, appliance, activator, state) {
  try {
    await house.order(appliance, activator, state);
  } catch (error) {
    toast(`${called(appliance.name)}: ${sentence(error.message)}`, "fault");
  }
}

// Asks before it opens, unlocks or silences something. Returns false for a no.
export async function setState(house, appliance, activator, state) {
  if (appliance.asksFirst(activator, state)) {
    const verb = appliance.verb(activator, state);
    const part = activator === appliance.main ? "" : `, ${called(activator.name)}`;
    const question = `${verb}: ${called(appliance.name)}${part}?`;
    if (!(await confirm(question, null, verb, false))) return false;
  }
  // The list may have been loaded again meanwhile.
  const now = house.appliances.get(appliance.id) ?? appliance;
  const current = now.activators.find((each) => each.id === activator.id);
  if (current) await order(house, now, current, state);
  return true;
}

const knob = () => make("span.knob");

// The one control beside an appliance's name. `appliance()` is the appliance as it is now.
export class Control {
  constructor(form, house, appliance, labelledBy) {
    this.form = form;
    const act = (stateOf) => () => {
      const now = appliance(), { activator } = now.control;
      return setState(house, now, activator, stateOf(activator, now));
    };
    const step = (sign, way) => button(sign, act((one) => one.scale.level(one.scale.next(one.state, way))), "step");
    switch (form) {
      case "verb":
        this.button = button("", act((_, now) => now.turned), "verb");
        this.node = this.button;
        break;
      case "blind": {
        const to = (end) => act((activator, now) => {
          const isOn = now.control.isOn === end;
          return activator.isSwitch ? isOn : isOn ? 1 : 0;
        });
        this.up = make("button.step", { onclick: to(true) }, icon("up"));
        this.down = make("button.step", { onclick: to(false) }, icon("down"));
        this.node = make("div.steps", this.up, this.down);
        break;
      }
      case "step":
        [this.less, this.more] = [step("−", -1), step("+", 1)];
        this.node = make("div.steps", this.less, this.more);
        break;
      case "dim":
      case "switch":
        this.node = make("button.switch", {
          role: "switch", "aria-labelledby": labelledBy, "aria-describedby": `${labelledBy}-words`,
          onclick: act((one) => (form === "dim" ? (one.state > 0 ? 0 : 1) : !one.state)),
        }, knob());
    }
  }

  update(appliance, { activator, isOn }) {
    switch (this.form) {
      case "verb": {
        const verb = appliance.verb(activator, appliance.turned);
        say(this.button, verb);
        set(this.button, "aria-label", `${verb}: ${appliance.name}`);
        break;
      }
      case "blind": {
        set(this.up, "aria-label", t("Up: {0}", appliance.name));
        set(this.down, "aria-label", t("Down: {0}", appliance.name));
        const end = activator.target ?? activator.state, open = isOn ? 1 : 0;
        set(this.up, "aria-pressed", String(Number(end) === open));
        set(this.down, "aria-pressed", String(Number(end) === 1 - open));
        break;
      }
      case "step":
        set(this.less, "aria-label", t("Less: {0}", appliance.name));
        set(this.more, "aria-label", t("More: {0}", appliance.name));
        set(this.less, "aria-disabled", activator.state <= 0 ? "true" : null);
        set(this.more, "aria-disabled", activator.state >= 1 ? "true" : null);
        break;
      case "dim":
      case "switch":
        set(this.node, "aria-checked", String(this.form === "dim" ? activator.state > 0 : activator.state));
    }
  }
}

// A line of the sheet: a switch with what its state means.
export class SwitchRow {
  constructor(label, labels, act) {
    this.value = make("span.value", { "aria-hidden": "true" });
    this.button = make("button.switch", { role: "switch", "aria-labelledby": labels, onclick: act }, knob());
    this.node = make("div.row", label, this.value, this.button);
  }
  update(activator, appliance) {
    set(this.button, "aria-checked", String(activator.state));
    say(this.value, appliance.word(activator));
  }
}

export class WordRow {
  constructor(label) {
    this.value = make("span.value", { dir: "auto" });
    this.node = make("div.row", label, this.value);
  }
  update(activator, appliance) { say(this.value, appliance.word(activator)); }
}

// A slider in the unit of what it sets, or over a strip of colours. One that is asked about orders nothing before it is
// let go. While somebody moves it, it is theirs; what the hub says counts again when they let go.
export class LevelRow {
  #isHeld = false; #scale; #strip; #act;

  // strip: "hue", "white" or null. act(level, isEnd)
  constructor(label, labels, activator, strip, isAsked, act) {
    const scale = activator.scale;
    [this.#scale, this.#strip, this.#act] = [scale, strip, act];
    this.value = make("span.value", { "aria-hidden": "true" });
    const size = strip === "hue" ? 360 : 100;
    const range = strip ? { min: 0, max: size, step: 1 } : { min: scale.from, max: scale.to, step: scale.step };
    this.input = make("input", { type: "range", ...range, "aria-labelledby": labels, "data-strip": strip });
    this.size = strip ? size : null;
    let timer = null;
    const send = () => { timer = null; act(this.level); };
    this.input.addEventListener("input", () => {
      this.#isHeld = true;
      this.#paint();
      // Five a second are enough to follow with the eye.
      if (!isAsked) timer ??= setTimeout(send, 200);
    });
    this.input.addEventListener("change", () => {
      this.#isHeld = false;
      clearTimeout(timer);
      send();
    });
    const ends = strip ? [] : [-1, 1].map((way) => make("button.step", {
      "aria-label": t(way < 0 ? "Less: {0}" : "More: {0}", label.textContent), onclick: () => this.#step(way),
    }, way < 0 ? "−" : "+"));
    this.node = make("div.row.level", label, this.value, make("div.slide", ends[0], this.input, ends[1]));
    if (strip === "hue") this.node.append(this.#swatches());
  }

  get level() {
    const value = Number(this.input.value);
    return this.size ? value / this.size : this.#scale.level(value);
  }

  #step(way) {
    const value = this.#scale.next(this.level, way);
    this.input.value = value;
    this.#paint();
    this.#act(this.level);
  }

  // The words, for who has no eye for a strip.
  #swatches() {
    return make("div.swatches", ...hues.map(([word, degrees]) => {
      const swatch = make("button.swatch", { "aria-label": t(word), title: t(word), onclick: () => {
        this.input.value = degrees;
        this.#paint();
        this.#act(this.level);
      } });
      swatch.style.setProperty("--hue", degrees);
      return swatch;
    }));
  }

  update(activator) {
    if (this.#isHeld) return;
    const state = Math.min(1, Math.max(0, activator.target ?? activator.state));
    const value = String(this.size ? Math.round(state * this.size) : this.#scale.value(state));
    if (this.input.value !== value) this.input.value = value;
    this.#paint();
  }

  #paint() {
    const value = Number(this.input.value);
    const text = this.#strip ? colourWord(this.#strip, this.level) : this.#scale.say(value);
    say(this.value, text);
    set(this.input, "aria-valuetext", text.replace(/ %$/, " percent"));
    this.input.style.setProperty("--level", `${this.level * 100}%`);
  }
}
