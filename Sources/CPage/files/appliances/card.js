// An appliance on the page: its icon, its name, its switch, its sliders.

import { called, confirm, icon, make, say, sentence, set, toast } from "./dom.js";

let number = 0;

// Cards are drawn for so many milliseconds; then the browser gets its turn, and shows them. Those that are left come
// after that.
const turn = 3;
const late = new Set();
let end = null;

function draw(card) {
  if (end === null) {
    end = performance.now() + turn;
    next();
  }
  // What is there already waits for the next frame: this one has the whole page to look through.
  if (!card.isDrawn && performance.now() < end) card.draw();
  else late.add(card);
}

const next = () => requestAnimationFrame(() => setTimeout(drawLate));

function drawLate() {
  end = performance.now() + turn;
  for (const card of late) {
    if (performance.now() >= end) return next();
    late.delete(card);
    card.draw();
  }
  end = null;
}

export class Card {
  isDrawn = false;
  #house; #appliance = null; #rows = []; #form = ""; #drawing = "";

  constructor(house) {
    this.#house = house;
    const id = `card-${number += 1}`;
    this.badge = make("span.badge");
    this.name = make("p.name", { id, dir: "auto" });
    this.words = make("p.words", { id: `${id}-words` });
    this.switch = make("button.switch", {
      role: "switch", "aria-labelledby": id, "aria-describedby": `${id}-words`, hidden: true, onclick: () => this.#turn(this.#appliance.main),
    }, make("span.knob"));
    this.rows = make("div.rows");
    this.node = make("li.card",
      make("div.head", this.badge, make("div.title", this.name, this.words), this.switch),
      this.rows);
  }

  update(appliance) {
    this.#appliance = appliance;
    draw(this);
  }

  draw() {
    this.isDrawn = true;
    const appliance = this.#appliance;
    const main = appliance.main;
    const drawing = appliance.drawing === "lock" && appliance.isOpen ? "unlock" : appliance.drawing;
    if (drawing !== this.#drawing) {
      this.#drawing = drawing;
      this.badge.replaceChildren(icon(drawing));
    }
    say(this.name, appliance.name);
    say(this.words, appliance.standing);
    set(this.node, "data-waiting", appliance.isWaiting);
    set(this.node, "aria-busy", appliance.isWaiting ? "true" : null);
    set(this.node, "data-kind", appliance.kind);
    set(this.node, "data-on", appliance.isOn === true);
    set(this.node, "data-open", appliance.isOpen);
    set(this.node, "data-sounding", appliance.isSounding);
    set(this.node, "data-fault", appliance.fault !== null);
    const canBeSet = this.#house.canSet(appliance);
    set(this.switch, "hidden", main === null || !canBeSet);
    if (main) set(this.switch, "aria-checked", String(main.state));
    // Everything else below; rebuilt only when the appliance has other parts than before.
    const others = appliance.activators.filter((each) => each !== main);
    const form = `${canBeSet} ${appliance.kind}\n${others.map((each) => `${each.id} ${each.isSwitch} ${each.isLevel} ${each.name}`).join("\n")}`;
    if (form !== this.#form) {
      this.#form = form;
      this.#rows = others.map((each) => this.#row(each, canBeSet));
      // The only slider needs no name, unless it is another thing than what the card is about: the battery of a lock.
      const isClear = !appliance.isGuarded || others[0] === appliance.opening?.activator;
      set(this.rows, "data-single", others.length === 1 && others[0].isLevel && canBeSet && isClear);
      this.rows.replaceChildren(...this.#folded(this.#rows.map((row) => row.node)));
    }
    others.forEach((each, index) => this.#rows[index].update(each));
  }

  #folded(nodes) {
    if (nodes.length <= 3) return nodes;
    return [...nodes.slice(0, 2),
      make("details", make("summary", `${nodes.length - 2} more`), ...nodes.slice(2))];
  }

  #row(activator, canBeSet) {
    const id = `part-${number += 1}`;
    const label = make("span.label", { id, dir: "auto" }, activator.name);
    const labels = `${this.name.id} ${id}`;
    if (activator.isLevel && canBeSet) {
      return new LevelRow(label, labels, this.#appliance.isGuarded, (state) => this.#level(activator.id, state));
    }
    if (activator.isSwitch && canBeSet) {
      const button = make("button.switch.small", {
        role: "switch", "aria-labelledby": labels,
        onclick: () => this.#turn(this.#appliance.activators.find((each) => each.id === activator.id)),
      }, make("span.knob"));
      const word = make("span.value", { "aria-hidden": "true" });
      return {
        node: make("div.row", label, word, button),
        update: (now) => { set(button, "aria-checked", String(now.state)); say(word, this.#appliance.word(now)); },
      };
    }
    const value = make("span.value", { dir: "auto" });
    return { node: make("div.row", label, value), update: (now) => say(value, this.#appliance.word(now)) };
  }

  async #turn(activator) {
    const appliance = this.#appliance;
    if (!activator) return;
    const state = !activator.state;
    if (await this.#isMeant(activator, state)) await this.#order(activator.id, state);
  }

  async #level(id, state) {
    const activator = this.#appliance.activators.find((each) => each.id === id);
    if (!activator) return;
    if (await this.#isMeant(activator, state)) await this.#order(id, state);
    else this.update(this.#appliance);
  }

  async #isMeant(activator, state) {
    const appliance = this.#appliance;
    if (!appliance.asksFirst(activator, state)) return true;
    const verb = appliance.verb(activator, state);
    const part = activator === appliance.main ? "" : `, ${called(activator.name)}`;
    return confirm(`${verb}: ${called(appliance.name)}${part}?`, null, verb, false);
  }

  async #order(id, state) {
    const appliance = this.#appliance;
    const activator = appliance.activators.find((each) => each.id === id);
    if (!activator) return;
    try {
      await this.#house.order(appliance, activator, state);
    } catch (error) {
      toast(`${called(appliance.name)}: ${sentence(error.message)}`, "fault");
    }
  }
}

// A slider. One that is asked about orders nothing before it is let go. While somebody moves it, it is theirs; what the hub says counts again when they let go.
class LevelRow {
  #isHeld = false;

  constructor(label, labels, isAsked, order) {
    this.value = make("span.value", { "aria-hidden": "true" });
    this.input = make("input", { type: "range", min: 0, max: 100, step: 1, "aria-labelledby": labels });
    let timer = null;
    const send = () => { timer = null; order(Number(this.input.value) / 100); };
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
    this.node = make("div.row.level", label, this.value, this.input);
  }

  update(activator) {
    if (this.#isHeld) return;
    const value = String(Math.round(Math.min(1, Math.max(0, activator.state)) * 100));
    if (this.input.value !== value) this.input.value = value;
    this.#paint();
  }

  #paint() {
    say(this.value, `${this.input.value} %`);
    set(this.input, "aria-valuetext", `${this.input.value} percent`);
    this.input.style.setProperty("--level", `${this.input.value}%`);
  }
}
