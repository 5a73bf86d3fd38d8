// An appliance and what can be set on it: what its states mean in words, and which control stands beside its name.

import { stripOf } from "./colours.js";
import { list } from "./hub.js";
import { isCovering, kindOf, kinds, only, onlyTells, senseOf, wordsOf } from "./kinds.js";
import { t } from "./text.js";
import { percent, Scale } from "./units.js";

// A battery with less is to be changed.
const lowest = 0.2;
const isBattery = (activator) => wordsOf(activator.name).some((each) => ["battery", "batterie", "akku"].includes(each));
const lowSense = (activator) => activator.state === true && wordsOf(activator.name).includes("low");

const switches = new Set("on off switch power activate active".split(" "));

// One thing that can be set: {id, name, type, state}. `unit` is what its level counts.
export class Activator {
  // Where it moves to, while that takes time.
  target = null;

  constructor(value, unit = null) {
    this.measure(unit);
    this.id = String(value.activatorId);
    this.name = typeof value.name === "string" ? value.name : "";
    this.type = value.type;
    this.rank = Number.isInteger(value.rank) ? value.rank : 1000;
    this.state = value.state;
  }
  measure(unit) { [this.unit, this.scale] = [unit, unit ? new Scale(unit) : percent]; }
  get isSwitch() { return this.type === "bool" && typeof this.state === "boolean"; }
  get isLevel() { return this.type === "float" && typeof this.state === "number"; }
  word(state = this.state) {
    if (typeof state === "number" && this.type === "float" && state >= 0 && state <= 1) return this.scale.text(state);
    if (typeof state !== "boolean") return state === null || state === undefined ? t("unknown") : JSON.stringify(state).slice(0, 60);
    return t(state ? "On" : "Off");
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

  // given: {kind, guests}, as people have said; or nothing. unitOf: the unit of an activator's id.
  constructor(value, given, unitOf = () => null) {
    this.id = String(value.deviceId);
    this.name = typeof value.name === "string" && value.name.trim() !== "" ? value.name : t("Without a name");
    this.type = typeof value.type === "string" ? value.type : "";
    this.activators = list(value.activators).filter((each) => each.activatorId !== undefined)
      .map((each) => new Activator(each, unitOf(String(each.activatorId)))).sort((one, other) => one.rank - other.rank);
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
    return kinds[this.kind].heading === "sounding" && this.main !== null && this.word(this.main) === t("Alarm");
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
    if (this.isWaiting) return t("Waiting for the house …");
    if (this.fault?.isUnconfirmed) return `${t("Not confirmed")} · ${this.words}`;
    return this.fault ? `${t("Does not answer")} · ${this.words}` : this.words;
  }
  // A state in a word that says what it means.
  word(activator, state = activator.state) {
    if (activator === this.locking?.activator) return t(isSo(this.locking, state) ? "Locked" : "Unlocked");
    const isWhole = activator.isSwitch || activator.isLevel && this.kind !== "blind" && (state <= 0 || state >= 1);
    if (activator === this.opening?.activator && isWhole) return t(isSo(this.opening, state) ? "Open" : "Closed");
    if (typeof state !== "boolean") return activator.word(state);
    const arms = this.#ability("arm");
    if (activator === arms?.activator) return t(state === arms.isOn ? "Armed" : "Disarmed");
    const { on, off } = kinds[this.kind];
    return on && activator === this.main ? t(state ? on : off) : activator.word(state);
  }
  verb(activator, state) {
    if (activator === this.locking?.activator) return t(isSo(this.locking, state) ? "Lock" : "Unlock");
    if (activator === this.opening?.activator) return t(isSo(this.opening, state) ? "Open|verb" : "Close");
    const arms = this.#ability("arm");
    if (activator === arms?.activator) return t(state === arms.isOn ? "Arm" : "Disarm");
    return typeof state !== "boolean" ? t("Set to {0}", activator.word(state)) : t(state ? "Switch on" : "Switch off");
  }
  get words() {
    if (this.activators.length === 0) return t("Nothing to set");
    const [main, level] = [this.main, this.level];
    const { activator, isOn } = this.opening ?? {};
    if (activator?.isLevel) {
      const part = isOn ? activator.state : 1 - activator.state;
      if (activator.target !== null) {
        const isOpening = (activator.target > activator.state) === isOn;
        return `${t(isOpening ? "Opening …" : "Closing …")} ${percent.text(part)}`;
      }
      return part <= 0 ? t("Closed") : part >= 1 ? t("Open") : t("{0} open", percent.text(part));
    }
    if (this.onlyTells && this.kind === "sensor") {
      return this.activators.filter((each) => !isBattery(each)).slice(0, 2).map((each) => this.word(each)).join(" · ")
        || this.word(this.activators[0]);
    }
    if (!main) return this.kind === "light" && level?.state === 0 ? t("Off") : this.word(level ?? this.activators[0]);
    const isLit = main.state && level && this.kind === "light";
    return isLit ? `${this.word(main)} · ${level.word()}` : this.word(main);
  }
  // A level that says how much of it, and neither its colour nor its battery.
  get level() {
    return this.activators.find((each) => each.isLevel && !isBattery(each) && stripOf(each, this.kind) === null) ?? null;
  }
  get isLow() {
    return this.activators.some((each) => isBattery(each) && (each.isLevel ? each.state <= lowest : lowSense(each)));
  }
  get isMoving() { return this.activators.some((each) => each.target !== null); }
  get isUnlocked() { return this.isOpen && isSo(this.locking) === false; }
  // What stands beside its name: {form, activator}. "switch"; "verb": it opens or locks; "blind": up and down;
  // "step": − and +; "dim": a switch for a level.
  get control() {
    if (this.onlyTells || this.activators.length === 0) return null;
    const ability = this.locking ?? this.opening;
    const isSettable = ability?.activator.isSwitch || ability?.activator.isLevel;
    if (isSettable && kinds[this.kind].asks === "opening") return { form: "verb", ...ability };
    if (isSettable && this.kind === "blind") return { form: "blind", ...ability };
    if (this.main) return { form: "switch", activator: this.main };
    const { level } = this;
    if (level) return { form: this.kind === "light" ? "dim" : "step", activator: level };
    const other = this.activators.find((each) => each.isSwitch);
    return other ? { form: "switch", activator: other } : null;
  }
  // The state that a press of its lock, or of what opens it, orders.
  get turned() {
    const { activator, isOn } = this.control;
    const isDone = isSo({ activator, isOn });
    return activator.isSwitch ? !activator.state : isDone === isOn ? 0 : 1;
  }
}
