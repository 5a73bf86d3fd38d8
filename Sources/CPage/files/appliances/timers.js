// "For ten minutes", "in ten minutes", "until ten": timers of an appliance, which the hub keeps. What waters has a time of
// the day, too, and a humidity above which it is left out.

import { button, called, clockAt, confirm, make, say, sentence, set, span, toast } from "./dom.js";
import { ask, part } from "./hub.js";
import { wordsOf } from "./kinds.js";
import { t } from "./text.js";

const durations = [1, 5, 10, 15, 20, 30, 45, 60, 90, 120, 180, 240, 480];

// What a timer is for: the switch of an appliance, or its level. `level`: the level that is chosen for it.
function timedOf(appliance, level = null) {
  const control = appliance.control;
  if (!control || control.form === "blind") return null;
  const { activator, form } = control;
  if (activator.isSwitch) {
    const on = form === "verb" ? control.isOn : true;
    // A lock is never left open by a timer, and nothing opens later by one.
    if (appliance.locking) return null;
    return { activator, on, off: !on };
  }
  // A heating goes back to what it was.
  if (form === "step") return { activator, on: level ?? activator.state, off: activator.state, isStep: true };
  return { activator, on: activator.state > 0 ? activator.state : 1, off: 0 };
}

const minutes = (number) => (number % 60 === 0 ? t(number === 60 ? "1 hour" : "{0} hours", number / 60)
  : t(number === 1 ? "1 minute" : "{0} minutes", number));

// What tells how wet it is: {id: "APPLIANCE/ACTIVATOR", name, activator}.
const wet = new Set("humidity moisture feuchte feuchtigkeit luftfeuchte luftfeuchtigkeit bodenfeuchte bodenfeuchtigkeit".split(" "));
function humidities(house) {
  return [...house.appliances.values()].filter((each) => each.onlyTells).flatMap((appliance) => appliance.activators
    .filter((each) => each.isLevel && [...wordsOf(each.name), ...wordsOf(appliance.name)].some((word) => wet.has(word)))
    .map((activator) => ({ id: `${appliance.id}/${activator.id}`, name: appliance.name, activator })));
}

export class TimerRow {
  #app; #appliance; #timer = null;

  constructor(app, appliance) {
    [this.#app, this.#appliance] = [app, appliance];
    this.left = make("p.words", { role: "status" });
    this.stop = button(t("Stop the timer"), () => this.#send("DELETE"));
    this.kind = make("select", { "aria-label": t("What the timer does") });
    this.time = make("select",
      ...durations.map((each) => make("option", { value: each }, minutes(each))));
    this.time.value = "10";
    this.at = make("input", { type: "time" });
    this.dry = make("select");
    this.limit = make("input", { type: "number", "aria-label": t("Only below") });
    this.start = button(t("Start"), () => this.#start(), "primary");
    for (const each of [this.kind, this.dry]) each.addEventListener("change", () => this.#appear());
    this.level = make("input", { type: "number", "aria-label": t("To which value"), oninput: () => this.#again() });
    const captioned = (caption, ...inputs) => make("label.field", make("span", caption), ...inputs);
    this.when = captioned(t("When"), this.at);
    this.lasting = captioned(t("How long"), this.time);
    this.ifDry = captioned(t("From which humidity"), this.dry);
    this.form = make("div.timer", this.level, this.kind, this.when, this.lasting, this.ifDry, this.limit, this.start);
    this.node = make("fieldset.checks.timed", this.legend = make("legend", t("Timer")), this.left, this.stop, this.form);
  }

  #appear() {
    const { value } = this.kind, isAt = value === "at";
    set(this.lasting, "hidden", value === "until");
    set(this.when, "hidden", value !== "until" && !isAt);
    set(this.ifDry, "hidden", !isAt || this.dry.children.length < 2);
    const sensor = isAt && humidities(this.#app.house).find((each) => each.id === this.dry.value);
    set(this.limit, "hidden", !sensor);
    if (!sensor || this.limit.dataset.of === sensor.id) return;
    const { scale, state } = sensor.activator;
    this.limit.dataset.of = sensor.id;
    for (const [name, value] of [["min", scale.from], ["max", scale.to], ["step", scale.step]]) set(this.limit, name, value);
    set(this.limit, "aria-label", `${t("Only below")} (${scale.symbol})`);
    this.limit.value = scale.isPercent ? Math.round(state * 100) : scale.value(state);
  }

  #again() {
    const now = this.#appliance();
    if (now) this.update(now, true);
  }

  // The level that is typed; null if there is none.
  #chosen(appliance) {
    const { activator } = appliance.control ?? {};
    const value = Number(this.level.value);
    return this.level.value === "" || !activator || !Number.isFinite(value) ? null
      : activator.scale.isPercent ? Math.min(1, Math.max(0, value / 100)) : activator.scale.level(value);
  }

  update(appliance, canBeSet) {
    const timed = canBeSet && this.#app.home.timers !== null ? timedOf(appliance, this.#chosen(appliance)) : null;
    set(this.node, "hidden", timed === null);
    if (!timed) return;
    const { activator } = timed;
    say(this.legend, appliance.kind === "valve" ? t("Watering: when, and how long") : t("Timer"));
    set(this.level, "hidden", !timed.isStep);
    if (timed.isStep && !this.level.dataset.of) {
      const { scale } = activator;
      this.level.dataset.of = activator.id;
      for (const [name, value] of [["min", scale.from], ["max", scale.to], ["step", scale.step]]) set(this.level, name, value);
      this.level.value = scale.isPercent ? Math.round(activator.state * 100) : scale.value(activator.state);
    }
    const [on, off] = [appliance.verb(activator, timed.on), appliance.verb(activator, timed.off)];
    const kinds = [["for", t("{0} for", on)], ["until", t("{0} until", on)], ["on", t("{0} in", on)],
      ...(appliance.kind === "valve" ? [["at", t("{0} at", on)]] : []),
      ...(timed.isStep ? [] : [["off", t("{0} in", off)]])];
    // What opens does not do so by itself.
    const possible = kinds.filter(([kind]) => kind !== "on" || !appliance.asksFirst(activator, timed.on));
    const key = possible.map((each) => each[1]).join();
    if (this.kind.dataset.key !== key) {
      const { value: chosen } = this.kind;
      this.kind.dataset.key = key;
      this.kind.replaceChildren(...possible.map(([value, text]) => make("option", { value }, text)));
      if (possible.some(([value]) => value === chosen)) this.kind.value = chosen;
      this.dry.replaceChildren(make("option", { value: "" }, t("in any case")), ...humidities(this.#app.house).map(
        ({ id, name, activator }) => make("option", { value: id }, t("only if {0} is below", `${called(name)}: ${activator.name}`))));
      this.#appear();
    }
    this.#timer = appliance.activators.map((each) => this.#app.home.timers.get(`${appliance.id}/${each.id}`)).find(Boolean) ?? null;
    const hadFocus = this.node.contains(document.activeElement);
    set(this.stop, "hidden", this.#timer === null);
    set(this.form, "hidden", this.#timer !== null);
    // What was pressed is gone: the other one is what one presses next.
    if (hadFocus && !document.activeElement.checkVisibility()) (this.#timer ? this.stop : this.kind).focus();
    say(this.left, this.#timer ? timerWords(this.#app.house, appliance, this.#timer) : "");
    set(this.left, "hidden", this.#timer === null);
  }

  async #start() {
    const appliance = this.#appliance(), timed = timedOf(appliance, this.#chosen(appliance));
    if (!timed) return;
    const { activator, on, off } = timed, kind = this.kind.value;
    const lasts = Number(this.time.value) * 60;
    let seconds = lasts, end = null;
    if (kind === "until" || kind === "at") {
      const [hours, rest] = this.at.value.split(":").map(Number);
      if (!Number.isInteger(rest)) return this.at.focus();
      end = new Date();
      end.setHours(hours, rest, 0, 0);
      if (end <= new Date()) end.setDate(end.getDate() + 1);
      seconds = Math.round((end - Date.now()) / 1000);
    }
    if (kind === "at") return this.#startLater(appliance, activator, on, end, lasts);
    const state = kind === "on" ? on : off;
    // The end is kept before it begins: nothing runs for ever because the network broke off between.
    if (!(await this.#send("PUT", activator, { state, in: seconds }))) return;
    if (kind === "on" || kind === "off" || activator.state === on) return;
    const { setState } = await import("./controls.js");
    if (!(await setState(this.#app.house, appliance, activator, on))) await this.#send("DELETE", activator);
  }

  // Nobody sees it when it opens: it is asked about now.
  async #startLater(appliance, activator, state, start, lasts) {
    const sensor = humidities(this.#app.house).find((each) => each.id === this.dry.value);
    const { scale } = sensor?.activator ?? {}, value = Number(this.limit.value);
    if (sensor && (this.limit.value === "" || !Number.isFinite(value))) return this.limit.focus();
    const words = [t("At {0}, for {1}.", clockAt(start), minutes(lasts / 60)),
      sensor ? t("Only if {0} is below {1} then.", called(sensor.name), scale.say(value)) : ""];
    const verb = appliance.verb(activator, state);
    if (!(await confirm(`${verb}: ${called(appliance.name)}?`, words.join("\n").trim(), t("Start"), false))) return;
    const level = sensor && Number((scale.isPercent ? value / 100 : scale.level(value)).toFixed(6));
    await this.#send("PUT", activator, { state, at: start.toISOString().replace(/\.\d+Z$/, "Z"), lasts, ...(sensor && { and: `${sensor.id} below ${level}` }) });
  }

  async #send(method, { id } = { id: this.#timer?.activator }, body) {
    try {
      await ask(method, this.#app.house.path(`timers/${part(this.#appliance().id)}/${part(id)}`), body);
      await this.#app.home.load();
      return true;
    } catch (error) {
      toast(sentence(error.message), "fault");
      return false;
    } finally {
      const now = this.#appliance();
      if (now) this.update(now, true);
    }
  }
}

// "Switch off in 9 minutes (14:05)", "Open in 2 hours (06:00) · for 20 minutes · only below 30 %".
function timerWords(house, appliance, timer) {
  const activator = appliance.activators.find((each) => each.id === timer.activator);
  const left = new Date(timer.due) - Date.now();
  const [, id, limit] = /^(\S+) below (\S+)$/.exec(timer.and ?? "") ?? [];
  const sensor = humidities(house).find((each) => each.id === id);
  return [
    t("{0} in {1} ({2})", activator ? appliance.verb(activator, timer.state) : "", span(left), clockAt(new Date(timer.due))),
    timer.lasts ? t("for {0}", minutes(Math.round(timer.lasts / 60))) : "",
    sensor ? t("only below {0}", sensor.activator.scale.text(Number(limit))) : "",
  ].filter(Boolean).join(" · ");
}
