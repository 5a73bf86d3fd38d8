// Many appliances at once: on and off, up and down, locked. Nothing is ever unlocked or opened that way without a question
// that names it, and locks and gates not at all.

import { button, called, confirm, make, sentence, show, toast } from "./dom.js";
import { n, t } from "./text.js";

// One does without these in an empty room; what heats, rings or opens is meant by its kind alone.
const everyday = new Set(["light", "fan", "switch", "other"]);
const atOnce = 4;

// What can be done with these: {word, orders: [{appliance, activator, state}]}, without what is so already.
export function choicesFor(house, appliances) {
  const isOneKind = new Set(appliances.map((each) => each.kind)).size === 1;
  const controls = appliances.filter((each) => house.canSet(each)).map((appliance) => ({ appliance, ...appliance.control }));
  const pick = (forms, stateOf) => controls.filter(({ form }) => forms.includes(form))
    .map((each) => ({ ...each, state: stateOf(each) }))
    .filter(({ activator, state }) => state !== null && (activator.target ?? activator.state) !== state);
  const isMeant = ({ appliance }) => isOneKind || everyday.has(appliance.kind);
  const turn = (isOn) => pick(["switch", "dim"], (each) => (
    !isMeant(each) || each.form === "dim" && (each.activator.state > 0) === isOn ? null
      : each.form === "dim" ? Number(isOn) : isOn));
  const move = (isUp) => pick(["blind"], ({ activator, isOn }) => (
    activator.isSwitch ? isOn === isUp : Number(isOn === isUp)));
  const lock = pick(["verb"], ({ appliance, activator, isOn }) => (
    appliance.locking?.activator !== activator ? null : activator.isSwitch ? isOn : Number(isOn)));
  return [
    { word: t("Switch off"), orders: turn(false) }, { word: t("Switch on"), orders: turn(true) },
    { word: t("Blinds up"), orders: move(true) }, { word: t("Blinds down"), orders: move(false) },
    { word: t("Lock all"), orders: lock },
  ].filter(({ orders }) => orders.length > 0);
}

// Asks what is to be done with all of these.
export function askMany(app, title, appliances) {
  const choices = choicesFor(app.house, appliances);
  const act = (choice) => () => {
    dialog.close();
    run(app, title, choice);
  };
  const dialog = show("", title,
    choices.length === 0 ? make("p.words", t("There is nothing to switch here.")) : null,
    make("div.many", ...choices.map((choice) => {
      const names = choice.orders.map(({ appliance }) => called(appliance.name));
      const more = names.length > 6 ? ` … ${t("and {0} more", names.length - 5)}` : "";
      return make("button.choice", { onclick: act(choice) },
        make("b", `${choice.word} (${choice.orders.length})`),
        make("span.words", { dir: "auto" }, names.slice(0, more ? 5 : 6).join(", ") + more));
    })),
    make("div.buttons", button(t("Cancel"), () => dialog.close())));
}

async function run(app, title, { word, orders }) {
  const asked = orders.filter(({ appliance, activator, state }) => appliance.asksFirst(activator, state));
  if (asked.length > 0) {
    const words = asked.map(({ appliance, activator, state }) => `${appliance.verb(activator, state)}: ${called(appliance.name)}`);
    if (!(await confirm(`${title}: ${word}?`, words.join("\n"), word, false))) return;
  }
  const { house } = app, faults = new Map(), left = [...orders];
  const work = async () => {
    for (let next = left.shift(); next; next = left.shift()) {
      const { appliance: { id }, activator, state } = next;
      const now = house.appliances.get(id);
      const one = now?.activators.find((each) => each.id === activator.id);
      try {
        if (!one) throw new Error(t("It is gone."));
        await house.order(now, one, state);
      } catch (error) {
        faults.set(next, sentence(error.message));
      }
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  await house.load().catch(() => {});
  // What has taken the order, and is another way all the same.
  for (const order of orders) {
    const now = house.appliances.get(order.appliance.id)?.activators.find((each) => each.id === order.activator.id);
    const isSo = now && (now.target !== null || Math.abs(Number(now.state) - Number(order.state)) < 0.01);
    if (!faults.has(order) && !isSo) faults.set(order, t("It took the order, and is as before."));
  }
  if (faults.size === 0) return toast(`${title}: ${word} · ${n(orders.length, "appliance", "appliances")}`);
  const dialog = show("", t("{0} of {1} did not follow", faults.size, orders.length),
    make("ul.list.bare", ...[...faults].map(([{ appliance }, fault]) => make("li", { dir: "auto" },
      make("b", appliance.name), make("span.words", ` ${fault}`)))),
    make("div.buttons", button(t("Close"), () => dialog.close())));
}
