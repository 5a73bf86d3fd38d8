// What an appliance does: the table that guards, words and headings go by. It is the hub's (ApplianceKind), and the
// hub's tests hold both against Tests/Kinds/kinds.txt. A server's type is a hint, and no more.

import { m } from "./text.js";

const row = (type, name, asks, heading, more) => ({ type: type.split(" "), name: name.split(" "), asks, heading, ...more });

// In the order that decides between two kinds that a type names: a DoorLock is a lock.
export const kinds = {
  lock: row("lock bolt deadbolt safe", "lock bolt deadbolt safe schloss -schloss riegel tresor", "opening", "open",
    { drawing: "lock" }),
  gate: row("gate garage", "gate tor tore -tor -tore", "opening", "open", { drawing: "door" }),
  door: row("door", "door tur turen -tur -turen", "opening", "open", { drawing: "door" }),
  window: row("window", "window fenster -fenster", "opening", "open", { drawing: "blind" }),
  valve: row("valve sprinkler irrigation",
    "valve sprinkler irrigation ventil -ventil -sprenger bewasserung -bewasserung", "opening", "open", { drawing: "valve" }),
  detector: row("smoke leak", "smoke leak gas rauchmelder rauchwarnmelder gasmelder wassermelder brandmelder", "always",
    "sounding", { drawing: "alarm", on: m("Alarm"), off: m("Quiet") }),
  alarm: row("alarm siren", "alarm alarmanlage siren sirene", "always", "sounding",
    { drawing: "alarm", on: m("Alarm"), off: m("Quiet") }),
  camera: row("camera", "camera kamera -kamera", "always", null, { drawing: "camera" }),
  light: row("light lamp bulb dimmer", "light lamp bulb dimmer licht -licht lichter -lichter lampe -lampe lampen -lampen "
    + "leuchte -leuchte leuchten -leuchten beleuchtung -beleuchtung", "never", "on", { drawing: "light" }),
  blind: row("blind shutter curtain shade awning cover covering roller drape",
    "blind curtain shade awning drape rollo -rollo rollos rollladen -rollladen rolladen -rolladen jalousie -jalousie "
    + "jalousien vorhang -vorhang gardine markise", "never", null, { drawing: "blind" }),
  heating: row("heater heating thermostat radiator", "", "never", null, { drawing: "heat" }),
  fan: row("fan", "", "never", "on", { drawing: "plug" }),
  sensor: row("sensor detector meter contact", "", "never", null, { drawing: "sensor" }),
  switch: row("switch plug socket outlet", "", "never", "on", { drawing: "plug" }),
  other: row("", "", "never", "on", { drawing: "plug" }),
};
const falseTails = "ator itor otor ktor utor atur itur ktur".split(" ");
const tells = new Set(["lock", "gate", "door", "window"]);

// The same few names are looked at again with every change.
const known = new Map();

// The words of a type or a name, in lower case and without diacritics.
export function wordsOf(text) {
  let found = known.get(text);
  if (found) return found;
  if (known.size > 2000) known.clear();
  known.set(text, found = split(text));
  return found;
}

function split(text) {
  return text.slice(0, 500).replace(/(\p{Ll})(\p{Lu})/gu, "$1 $2").toLowerCase().normalize("NFD").replace(/\p{M}/gu, "")
    .replaceAll("ß", "ss").replace(/['’]s\b/gu, "").split(/[^\p{L}\p{N}]+|(?<=\p{L})(?=\p{N})|(?<=\p{N})(?=\p{L})/u)
    .filter((word) => word !== "");
}

const isWord = (word, other) => (other[0] !== "-" ? word === other || word === `${other}s`
  : word.length >= other.length + 2 && word.endsWith(other.slice(1)) && !falseTails.some((tail) => word.endsWith(tail)));
const has = (words, others) => others.some((other) => other !== "" && words.some((word) => isWord(word, other)));

function isGate(name) {
  if (has(name, kinds.light.name)) return false;
  return has(name, kinds.gate.name) || /^garage[ns]?$/.test(name.at(-1) ?? "")
    || has(name, kinds.door.name) && has(name, ["garage", "garagentur"]);
}

function named(name) {
  if (has(name, kinds.light.name)) return null;
  if (isGate(name)) return has(name, kinds.lock.name) ? "lock" : "gate";
  return ["lock", "door", "window", "valve", "alarm", "camera"].find((kind) => has(name, kinds[kind].name)) ?? null;
}

// Of what only tells: of which thing it tells, if it has a switch that may say open or closed.
function contact(type, name, activators) {
  const is = (kind) => has(type, kinds[kind].type) || has(name, kinds[kind].name);
  if (!activators.some((each) => each.type === "bool")) return "sensor";
  if (is("detector") || is("alarm")) return "detector";
  if (isGate(name)) return "gate";
  return ["lock", "gate", "door", "window"].find(is) ?? kindOfMain(activators) ?? "sensor";
}

// What unlocks or opens something is a lock or a door, whatever it is called.
function kindOfMain(activators) {
  const main = activators.find((each) => each.rank === 0);
  if (!main) return null;
  return only(activators, "lock") === main ? "lock" : only(activators, "open") === main ? "door" : null;
}

const senses = {
  lock: [["lock", "locked", "bolt", "bolted"], ["unlock", "unlocked"]],
  open: [["open", "opened", "opening"], ["close", "closed", "closing"]],
  position: [["position", "height", "lift", "up", "raised"], ["down", "lowered"]],
  arm: [["arm", "armed", "arming"], ["disarm", "disarmed"]],
};

// True or false: which end of the activator is what the sense is called after; null: its name does not tell.
export function senseOf(activator, sense) {
  if (activator.type !== "bool" && activator.type !== "float") return null;
  const [so, not] = senses[sense].map((words) => wordsOf(activator.name).some((word) => words.includes(word)));
  return so === not ? null : so;
}

// The only activator with that sense.
export function only(activators, sense) {
  const found = activators.filter((each) => senseOf(each, sense) !== null);
  return found.length === 1 ? found[0] : null;
}

export const isCovering = (type) => has(wordsOf(type), kinds.blind.type);
export const isSensor = (type) => has(wordsOf(type), kinds.sensor.type);

// The kind of {type, name, activators}. Lists come again and again.
const found = new Map();

export function kindOf(appliance) {
  const key = JSON.stringify([
    appliance.type, appliance.name, appliance.activators.map((each) => [each.rank, each.type, each.name]),
  ]);
  if (found.size > 2000) found.clear();
  if (!found.has(key)) found.set(key, derived(appliance));
  return found.get(key);
}

function derived(appliance) {
  const [type, name] = [wordsOf(appliance.type), wordsOf(appliance.name)];
  const kind = Object.keys(kinds).find((each) => has(type, kinds[each].type)) ?? "other";
  if (isSensor(appliance.type)) return contact(type, name, appliance.activators);
  if (kind === "light" && !has(type, kinds.switch.type)) return "light";
  if (kind === "alarm") return has(name, kinds.detector.name) ? "detector" : "alarm";
  if (kind === "door") return isGate(name) ? "gate" : "door";
  if (kind === "blind" || kind === "window" && isCovering(appliance.type)) {
    if (has(name, kinds.blind.name)) return "blind";
    return has(name, ["garage", "garagen"]) ? "gate" : named(name) ?? "blind";
  }
  if (["light", "switch", "other"].includes(kind)) return named(name) ?? kindOfMain(appliance.activators) ?? kind;
  return kind;
}

// True if there is nothing to set on it.
export const onlyTells = (kind, type) => kind === "sensor" || kind === "detector" || tells.has(kind) && isSensor(type);
