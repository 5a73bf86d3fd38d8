// Appliances under headings: by room, or by what they are.

import { Card } from "./card.js";
import { icon, inTurns, KeyedList, make, say, set, sorting } from "./dom.js";
import { array } from "./hub.js";
import { m, t } from "./text.js";

// So many stand in one list, which the browser leaves out while it is out of sight, and draws as a whole when it comes near.
// Twelve at a time make a frame late on a slow machine. They fill the rows of one, two and four columns, or of three. Lists
// stand in groups that are left out, too: else each frame would look at every list of a thousand appliances.
const block = 4, blockOfThree = 6, group = 8;
// Favourites are few, and have as many columns as there is room for.
const favourites = 60;
const three = matchMedia("(min-width: 55.4rem) and (max-width: 73.09rem)");

// The headings by kind, in their order.
const groups = [
  [m("Lights"), "light"], [m("Blinds"), "blind"], [m("Heating"), "heating"], [m("Doors and locks"), "lock door gate window"],
  [m("Switches"), "switch fan other"], [m("Water"), "valve"], [m("Alarms"), "alarm detector"], [m("Cameras"), "camera"],
  [m("Sensors"), "sensor"],
].map(([name, words]) => ({ name, kinds: words.split(" ") }));

export function byKind(appliances) {
  return groups.map(({ name, kinds }) => ({
    key: name, name: t(name), area: "", appliances: appliances.filter((each) => kinds.includes(each.kind)),
  })).filter((section) => section.appliances.length > 0);
}

export function byRoom(appliances, all) {
  const places = new Map();
  for (const room of all) for (const id of array(room.devices)) places.set(id, room);
  const rooms = new Map(all.map((room) => [room, []]));
  const others = [];
  for (const appliance of appliances) (rooms.get(places.get(appliance.id)) ?? others).push(appliance);
  const sections = [...rooms].map(([room, appliances]) => ({
    key: `room ${room.id}`, name: String(room.name ?? room.id), area: room.area ? String(room.area) : "", appliances,
  })).filter((section) => section.appliances.length > 0);
  sections.sort((one, other) => sorting.compare(one.area, other.area) || sorting.compare(one.name, other.name));
  if (others.length > 0) {
    sections.push({ key: "", name: t(sections.length > 0 ? "In no room" : "Appliances"), area: "", appliances: others });
  }
  return sections;
}

// Favourites, in the order in which they were chosen; none is no section.
export function favouritesOf(ids, appliances) {
  const chosen = ids.map((id) => appliances.find((each) => each.id === id)).filter(Boolean);
  return chosen.length === 0 ? [] : [{ key: "favourites", name: t("Favourites"), area: "", appliances: chosen, isSorted: true }];
}

// A column of sections, drawn in turns.
export class Column {
  #app; #cards = new Map(); #sections = []; #draw = inTurns(() => this.#steps());

  // isSecond: it stands beside another one. Its lists begin by the half of one later, so that not two are drawn at a time.
  constructor(app, more = {}, isSecond = false) {
    this.#app = app;
    this.node = make("div.rooms", more);
    this.list = new KeyedList(this.node, () => new Section(app, (id) => this.#card(id), isSecond));
    three.addEventListener("change", this.#draw);
  }

  #card(id) {
    let card = this.#cards.get(id);
    if (!card) this.#cards.set(id, card = new Card(this.#app));
    return card;
  }

  show(sections) {
    this.#sections = sections;
    this.#draw();
  }

  // The card of an appliance alone.
  showOne(appliance) { this.#cards.get(appliance.id)?.update(appliance); }

  *#steps() {
    const focused = this.node.contains(document.activeElement) ? document.activeElement : null;
    yield* this.list.steps(this.#sections, (section) => section.key);
    // It has gone from one list to another.
    if (focused?.isConnected && document.activeElement === document.body) focused.focus({ preventScroll: true });
  }
}

class Section {
  #section = null; #isSecond;
  constructor(app, card, isSecond) {
    this.#isSecond = isSecond;
    const id = `room-${crypto.randomUUID()}`;
    this.area = make("span.area", { dir: "auto" });
    this.name = make("span", { dir: "auto" });
    this.note = make("span.note");
    this.all = make("button.quiet.all", { "aria-haspopup": "dialog", onclick: async () => {
      const { askMany } = await import("./many.js");
      askMany(app, this.#section.name, this.#section.appliances);
    } }, icon("more"));
    this.blocks = make("div.blocks");
    // Of several houses each has its own kitchen.
    const labels = app.labelledBy ? `${app.labelledBy} ${id}` : id;
    this.list = new KeyedList(this.blocks, () => new Group(() => new Group(() => new Block(labels, card))));
    this.node = make("section.room", { "aria-labelledby": labels },
      make("div.headline", make("h2", make("span", { id }, this.name, " ", this.area)), this.note, this.all), this.blocks);
  }
  *steps(section) {
    this.#section = section;
    say(this.name, section.name);
    say(this.area, section.area);
    const on = section.appliances.filter((each) => each.isOn).length;
    say(this.note, on > 0 ? t("{0} on", on) : "");
    set(this.all, "aria-label", t("All at once: {0}", section.name));
    const size = section.isSorted ? favourites : three.matches ? blockOfThree : block;
    // Not two columns begin a list at a time. Of nested parts that are left out Chromium draws the innermost with the one
    // around it, all at once: each list has one of its own.
    const lists = parts(section.appliances, size, this.#isSecond && size === block ? block / 2 : size);
    const groups = parts(parts(lists, 1), group, this.#isSecond ? group / 2 : group);
    yield* this.list.steps(numbered(groups), (each) => each.index);
  }
}

// In parts of a size, the first of another one.
function parts(all, size, first = size) {
  const found = [];
  for (let at = 0, end = first; at < all.length; [at, end] = [end, end + size]) found.push(all.slice(at, end));
  return found;
}
// How high it is, before the browser has seen it.
function setCount(node, count) {
  if (node.style.getPropertyValue("--count") !== String(count)) node.style.setProperty("--count", count);
}
const numbered = (all) => all.map((items, index) => ({ items, index }));

// Lists, or groups of them.
class Group {
  constructor(makePart) {
    this.node = make("div.group");
    this.list = new KeyedList(this.node, makePart);
  }
  *steps({ items }) {
    setCount(this.node, items.flat(2).length);
    yield* this.list.steps(numbered(items), (each) => each.index);
  }
}

class Block {
  #laidOut = 0;
  constructor(labelledBy, card) {
    this.node = make("ul.cards", { "aria-labelledby": labelledBy });
    this.list = new KeyedList(this.node, (appliance) => card(appliance.id));
  }
  *steps({ items }) {
    setCount(this.node, items.length);
    yield* this.list.steps(items, (appliance) => appliance.id);
    if (this.#laidOut === items.length) return;
    this.#laidOut = items.length;
    // A browser lays out what it leaves out once it is asked how large it is. Now, in a turn of its own: the frame in
    // which it comes into sight has only to paint it.
    this.node.lastElementChild?.getBoundingClientRect();
    yield;
  }
}
