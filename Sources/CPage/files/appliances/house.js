// The appliances of the house: what they are, what they can do, and orders to them.

import { sentence } from "./dom.js";
import { ask, Away, list, own, part, Refusal } from "./hub.js";
import { isCovering, kindOf, kinds, only, onlyTells, senseOf, wordsOf } from "./kinds.js";

// An order that takes longer is shown as waiting.
const patience = 1000;

const switches = new Set("on off switch power activate active".split(" "));

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
  word(state = this.state) {
    if (typeof state === "number" && this.type === "float" && state >= 0 && state <= 1) {
      return `${Math.round(state * 100)} %`;
    }
    if (typeof state !== "boolean") return state === null || state === undefined ? "unknown" : JSON.stringify(state).slice(0, 60);
    return state ? "On" : "Off";
  }
}

// True if a state is what the ability is called after, also in part; null if it is no such state.
function isSo(ability, state = ability?.activator.state) {
  if (!ability) return null;
  if (typeof state === "boolean") return state === ability.isOn;
  if (typeof state !== "number" || state < 0 || state > 1) return null;
  return ability.isOn ? state > 0 : state < 1;
}

export class Appliance {
  #derived;

  // given: {kind, guests}, as people have said; or nothing.
  constructor(value, given) {
    this.id = String(value.deviceId);
    this.name = typeof value.name === "string" && value.name.trim() !== "" ? value.name : "Without a name";
    this.type = typeof value.type === "string" ? value.type : "";
    this.activators = list(value.activators).filter((each) => each.activatorId !== undefined)
      .map((each) => new Activator(each)).sort((one, other) => one.rank - other.rank);
    this.given = given;
    this.fault = null;
    // True while an order takes long.
    this.isWaiting = false;
  }
  get kind() { return this.given?.kind in kinds ? this.given.kind : this.#derived ??= kindOf(this); }
  get drawing() { return kinds[this.kind].drawing; }
  // True for what keeps people, water or thieves out.
  get isGuarded() { return kinds[this.kind].asks !== "never"; }
  get onlyTells() { return onlyTells(this.kind, this.type); }
  get allowsGuests() { return this.given?.guests === true || !this.isGuarded; }
  // What the big switch is for: the main activator, or the only one with such a name.
  get main() {
    if (this.activators[0]?.isSwitch) return this.activators[0];
    const named = this.activators.filter((each) => each.isSwitch && wordsOf(each.name).some((word) => switches.has(word)));
    return named.length === 1 ? named[0] : null;
  }
  #ability(sense) {
    const activator = only(this.activators, sense);
    return activator && { activator, isOn: senseOf(activator, sense) };
  }
  get locking() { return this.#ability("lock"); }
  get opening() {
    const worded = this.#ability("open");
    if (worded || this.kind === "blind" || isCovering(this.type)) return worded ?? this.#ability("position");
    return this.kind === "valve" && this.main ? { activator: this.main, isOn: true } : null;
  }
  // True if a slip of the finger must not do that: it opens, unlocks, silences. What cannot be told does.
  asksFirst(activator, state) {
    const { asks } = kinds[this.kind];
    if (asks !== "opening") return asks === "always";
    if (this.locking?.activator === activator) return isSo(this.locking, state) !== true;
    if (this.opening?.activator === activator) return isSo(this.opening, state) !== false;
    return true;
  }
  get isOpen() {
    return kinds[this.kind].heading === "open" && (isSo(this.locking) === false || isSo(this.opening) === true);
  }
  get isSounding() {
    return kinds[this.kind].heading === "sounding" && this.main !== null && this.word(this.main) === "Alarm";
  }
  // Whether it is on; null if that cannot be told, as of a lock or a blind.
  get isOn() {
    if (kinds[this.kind].heading !== "on" || this.onlyTells) return null;
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
  // A state in a word that says what it means.
  word(activator, state = activator.state) {
    if (activator === this.locking?.activator) return isSo(this.locking, state) ? "Locked" : "Unlocked";
    const isWhole = activator.isSwitch || activator.isLevel && this.kind !== "blind" && (state <= 0 || state >= 1);
    if (activator === this.opening?.activator && isWhole) return isSo(this.opening, state) ? "Open" : "Closed";
    if (typeof state !== "boolean") return activator.word(state);
    const arms = this.#ability("arm");
    if (activator === arms?.activator) return state === arms.isOn ? "Armed" : "Disarmed";
    const { on, off } = kinds[this.kind];
    return on && activator === this.main ? (state ? on : off) : activator.word(state);
  }
  verb(activator, state) {
    if (activator === this.locking?.activator) return isSo(this.locking, state) ? "Lock" : "Unlock";
    if (activator === this.opening?.activator) return isSo(this.opening, state) ? "Open" : "Close";
    return typeof state !== "boolean" ? `Set to ${activator.word(state)}` : state ? "Switch on" : "Switch off";
  }
  get words() {
    if (this.activators.length === 0) return "Nothing to set";
    const [main, level] = [this.main, this.activators.find((each) => each.isLevel)];
    if (!main) return this.word(level ?? this.activators[0]);
    const isLit = main.state && level && this.kind === "light";
    return isLit ? `${this.word(main)} · ${level.word()}` : this.word(main);
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
  // What people have said of their appliances: {kind, guests}, by id.
  #given = new Map();
  // False if this browser may not set what guests leave alone.
  opensAll = true;
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
      const appliance = new Appliance(each, this.#given.get(String(each.deviceId)));
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

  setKinds(all) {
    this.#given = new Map(all.map((each) => [String(each.device), each]));
    for (const appliance of this.appliances.values()) appliance.given = this.#given.get(appliance.id);
  }

  canSet(appliance) { return !appliance.onlyTells && (this.opensAll || appliance.allowsGuests); }

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
      const fault = isOpen ? new Unconfirmed(`Not confirmed. ${sentence(error.message)}`) : error;
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
