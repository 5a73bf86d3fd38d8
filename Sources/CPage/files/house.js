// The appliances of the house: what they are, what they can do, and orders to them.

import { ask, Away, list, own, part, Refusal } from "./hub.js";

// An order that takes longer is shown as waiting.
const patience = 1000;

const words = {
  lock: "lock bolt door gate safe window", alarm: "alarm siren", valve: "valve", camera: "camera",
  light: "light lamp bulb dimmer", blind: "blind shutter curtain shade awning cover roller drape",
  heat: "heater heating thermostat radiator", sensor: "sensor detector meter",
};
const guarded = new Set(["lock", "alarm", "valve", "camera"]);
const drawings = { door: "door", gate: "door", window: "blind" };
const switches = new Set("on off switch power activate active".split(" "));
const openWords = new Set("open opened opening unlock unlocked".split(" "));
const closedWords = new Set("close closed closing lock locked bolt bolted".split(" "));

// The same few names are looked at again with every change.
const known = new Map();

function wordsOf(text) {
  let found = known.get(text);
  if (found) return found;
  if (known.size > 2000) known.clear();
  known.set(text, found = split(text));
  return found;
}

function split(text) {
  return text.slice(0, 100).replace(/(\p{Ll})(\p{Lu})/gu, "$1 $2").toLowerCase().split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== "");
}

const singular = (word) => (word.length > 3 && word.endsWith("s") ? word.slice(0, -1) : word);

// One thing that can be set: {id, name, type, state}.
export class Activator {
  constructor(value) {
    this.id = String(value.activatorId);
    this.name = typeof value.name === "string" ? value.name : "";
    this.type = value.type;
    this.rank = Number.isInteger(value.rank) ? value.rank : 1000;
    this.state = value.state;
  }
  get isSwitch() { return this.type === "bool" && typeof this.state === "boolean"; }
  get isLevel() { return this.type === "float" && typeof this.state === "number"; }
  // Which state is open: "open" if true is, "closed" if false is, or null.
  get opening() {
    const all = wordsOf(this.name);
    const [opens, closes] = [all.some((word) => openWords.has(word)), all.some((word) => closedWords.has(word))];
    return opens === closes ? null : opens ? "open" : "closed";
  }
  get isLocking() { return wordsOf(this.name).some((word) => /^(un)?lock|^bolt/.test(word)); }
  get isOpen() {
    if (this.opening === null || !(this.isSwitch || this.isLevel)) return null;
    const isOn = this.isSwitch ? this.state : this.opening === "open" ? this.state > 0 : this.state >= 1;
    return isOn === (this.opening === "open");
  }
  word(state = this.state) {
    if (typeof state === "number" && this.type === "float" && state >= 0 && state <= 1) {
      return `${Math.round(state * 100)} %`;
    }
    if (typeof state !== "boolean") return state === null || state === undefined ? "unknown" : JSON.stringify(state).slice(0, 60);
    if (this.opening === null) return state ? "On" : "Off";
    const isOpen = state === (this.opening === "open");
    return this.isLocking ? (isOpen ? "Unlocked" : "Locked") : isOpen ? "Open" : "Closed";
  }
  verb(state) {
    if (this.opening === null) return state ? "Switch on" : "Switch off";
    const opens = state === (this.opening === "open");
    return this.isLocking ? (opens ? "Unlock" : "Lock") : opens ? "Open" : "Close";
  }
}

export class Appliance {
  constructor(value) {
    this.id = String(value.deviceId);
    this.name = typeof value.name === "string" && value.name.trim() !== "" ? value.name : "Without a name";
    this.type = typeof value.type === "string" ? value.type : "";
    this.activators = list(value.activators).filter((each) => each.activatorId !== undefined)
      .map((each) => new Activator(each)).sort((one, other) => one.rank - other.rank);
    const kinds = wordsOf(this.type).map(singular);
    this.kind = Object.keys(words).find((kind) => words[kind].split(" ").some((word) => kinds.includes(word))) ?? "plug";
    this.drawing = drawings[kinds.find((word) => word in drawings)] ?? this.kind;
    this.fault = null;
    // True while an order takes long.
    this.isWaiting = false;
  }
  // True for what keeps people, water or thieves out: a slip of the finger must not open it.
  get isGuarded() { return guarded.has(this.kind); }
  // What the big switch is for: the main activator, or the only one with such a name.
  get main() {
    if (this.activators[0]?.isSwitch) return this.activators[0];
    const named = this.activators.filter((each) => each.isSwitch && wordsOf(each.name).some((word) => switches.has(word)));
    return named.length === 1 ? named[0] : null;
  }
  get isOpen() { return this.activators.some((each) => each.isOpen); }
  // Whether it is on; null if that cannot be told, as of a lock or a blind.
  get isOn() {
    if (this.isGuarded || this.kind === "blind" || this.kind === "sensor") return null;
    if (this.main) return this.main.state;
    const level = this.activators.find((each) => each.isLevel);
    return level ? level.state > 0 : null;
  }
  // How it stands, and what is wrong with that.
  get standing() {
    if (this.isWaiting) return "Waiting for the house …";
    if (this.fault instanceof Unconfirmed) return `Not confirmed · ${this.words}`;
    return this.fault ? `Does not answer · ${this.words}` : this.words;
  }
  get words() {
    if (this.activators.length === 0) return "Nothing to set";
    const [main, level] = [this.main, this.activators.find((each) => each.isLevel)];
    if (!main) return (level ?? this.activators[0]).word();
    const isLit = main.state && level && this.kind === "light";
    return isLit ? `${main.word()} · ${level.word()}` : main.word();
  }
}

// Nobody has said that an order was carried out, and nobody that it was not.
class Unconfirmed extends Error {
  end = performance.now();
}

// All appliances. While an order is under way its state is shown as it was ordered.
export class House {
  appliances = new Map();
  #orders = new Map();
  // The orders that have just been carried out: a list that was asked for before does not know of them.
  #done = new Map();
  onchange = () => {};

  async load() {
    const start = performance.now();
    // The hub lists what does not answer, too, and all while the server is away. An older one has no such list, and
    // of what it cannot read itself the page shows what it can.
    const known = await own("states", { "Cache-Control": "max-age=0" });
    let [value, fault] = [known?.devices, null];
    if (known?.current === false) fault = new Refusal(502, "upstream_unavailable", String(known.fault));
    if (!Array.isArray(value) || known.current === false && known.answers === true) {
      try {
        const listed = await ask("GET", "/devices/", undefined, 10);
        if (!Array.isArray(listed)) throw new Refusal(502, "malformed", "The list of appliances cannot be read.");
        [value, fault] = [listed, null];
      } catch (error) {
        if (!Array.isArray(value) || !(error instanceof Refusal)) throw error;
        fault = error;
      }
    }
    const before = this.appliances;
    this.appliances = new Map();
    for (const each of list(value)) {
      if (each.deviceId === undefined) continue;
      const appliance = new Appliance(each);
      const known = before.get(appliance.id);
      // What the house says now is the truth about an order that nobody confirmed.
      const isOver = known?.fault instanceof Unconfirmed && known.fault.end < start;
      if (known) [appliance.fault, appliance.isWaiting] = [isOver ? null : known.fault, known.isWaiting];
      this.appliances.set(appliance.id, appliance);
      for (const activator of appliance.activators) {
        const key = `${appliance.id}/${activator.id}`;
        const order = this.#orders.get(key) ?? this.#done.get(key);
        if (order && !(order.end < start)) activator.state = order.state;
      }
    }
    for (const [key, order] of this.#done) if (order.end < start) this.#done.delete(key);
    this.onchange();
    if (fault !== null) throw fault;
  }

  // A state that a stream tells of.
  take(change) {
    const activator = this.appliances.get(change?.device)?.activators.find((each) => each.id === change.activator);
    if (!activator || change.state === undefined || this.#orders.has(`${change.device}/${change.activator}`)) return;
    activator.state = change.state;
    this.onchange();
  }

  // Orders a state. Of orders that come faster than they are carried out, only the last counts.
  async order(appliance, activator, state) {
    const key = `${appliance.id}/${activator.id}`;
    const running = this.#orders.get(key);
    const before = running ? running.before : activator.state;
    activator.state = state;
    if (running) {
      running.state = state;
      return this.onchange();
    }
    const order = { state, before };
    this.#orders.set(key, order);
    this.onchange();
    const slow = setTimeout(() => this.#wait(appliance, true), patience);
    try {
      let sent;
      do {
        sent = order.state;
        await ask("POST", `/devices/${part(appliance.id)}/activators/${part(activator.id)}`, { state: sent });
        order.before = sent;
      } while (order.state !== sent);
      this.#done.set(key, { state: order.state, end: performance.now() });
      this.#tell(appliance, activator, order.state, null);
    } catch (error) {
      const isOpen = error instanceof Away || error.isUnconfirmed;
      const fault = isOpen ? new Unconfirmed(`Not confirmed. ${error.message}`) : error;
      this.#tell(appliance, activator, order.before, fault);
      throw fault;
    } finally {
      clearTimeout(slow);
      this.#wait(appliance, false);
      this.#orders.delete(key);
      this.onchange();
    }
  }

  #wait(appliance, isWaiting) {
    const current = this.appliances.get(appliance.id);
    if (!current || current.isWaiting === isWaiting) return;
    current.isWaiting = isWaiting;
    this.onchange();
  }

  // The list may have been loaded again meanwhile.
  #tell(appliance, activator, state, error) {
    const current = this.appliances.get(appliance.id);
    if (!current) return;
    current.fault = error;
    const set = current.activators.find((each) => each.id === activator.id);
    if (set) set.state = state;
  }

  setUnanswered(ids) {
    for (const appliance of this.appliances.values()) {
      const isOut = ids.has(appliance.id);
      if (isOut) appliance.fault = "unanswered";
      else if (appliance.fault === "unanswered") appliance.fault = null;
    }
    this.onchange();
  }
}
