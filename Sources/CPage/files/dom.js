// Elements, lists, words about time, and what is said to people.
//
// Nothing that comes from the network ever becomes HTML: texts are set as text, and everything else is made here.

import { locale, n, t } from "./text.js";

const svgSpace = "http://www.w3.org/2000/svg";

// Makes an element: make("p.words", "Hello"), make("input", { type: "range", oninput: act }).
//
// Texts and nodes become its children; objects are attributes by name (true: without a value; false, null:
// none), and `on…`: listeners. Null is left out.
export function make(tag, ...parts) {
  const [name, ...classes] = tag.split(".");
  const element = document.createElement(name);
  if (classes.length > 0) element.className = classes.join(" ");
  for (const part of parts) {
    if (typeof part === "string" || part instanceof Node) element.append(part);
    else if (part) {
      for (const [name, value] of Object.entries(part)) {
        if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
        else set(element, name, value);
      }
    }
  }
  return element;
}

export const button = (label, onclick, kind = "") => make(`button${kind && `.${kind}`}`, { onclick }, label);

export function set(element, name, value) {
  if (value === false || value === null || value === undefined) {
    if (element.hasAttribute(name)) element.removeAttribute(name);
    return;
  }
  const text = value === true ? "" : String(value);
  if (element.getAttribute(name) !== text) element.setAttribute(name, text);
}

// Sets the text, only if it is another than before: a screen reader reads again what is set again.
export function say(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

const shapes = {
  alarm: "M12 4v3M5.6 6.6l1.8 1.8M18.4 6.6l-1.8 1.8M7 18v-5a5 5 0 0 1 10 0v5M5 18h14v2.5H5z",
  alert: "M12 4.5 20.5 19h-17zM12 10v4M12 16.5v.2",
  arrange: "M4.5 5h6v6h-6zM13.5 5h6v6h-6zM4.5 14h6v6h-6zM13.5 17h6M16.5 14v6",
  bell: "M6 16.5V11a6 6 0 0 1 12 0v5.5l1.5 2h-15zM10 20.5a2 2 0 0 0 4 0",
  blind: "M4 4h16M6 4v12h12V4M6 8h12M6 12h12M12 16v4",
  camera: "M4 8h3l1.5-2h7L17 8h3v11H4zM12 16.5a3.2 3.2 0 1 0 0-6.4 3.2 3.2 0 0 0 0 6.4z",
  close: "M6 6l12 12M18 6 6 18",
  device: "M8 3.5h8v17H8zM11 17.5h2",
  door: "M6 21V4l9-1v18M15 5h3v16M4 21h16M11.5 12v1.5",
  health: "M12 20s-7.5-4.6-7.5-10A4.2 4.2 0 0 1 12 7.4 4.2 4.2 0 0 1 19.5 10c0 5.4-7.5 10-7.5 10z",
  heat: "M7 5v14M12 5v14M17 5v14M4.5 8h15M4.5 16h15",
  home: "M4.5 11.5 12 5l7.5 6.5V19a1 1 0 0 1-1 1h-13a1 1 0 0 1-1-1zM10 20v-5.5h4V20",
  key: "M14.5 13.5a4.5 4.5 0 1 0-4-4L4 16v4h4v-2.5h2.5V15z",
  light: "M9 17.5h6M10 20.5h4M9 17.5c0-2.5-3-3.7-3-7.5a6 6 0 0 1 12 0c0 3.8-3 5-3 7.5",
  lock: "M6 11h12v9H6zM8.5 11V8a3.5 3.5 0 0 1 7 0v3M12 14.5V17",
  more: "M6 12h.1M12 12h.1M18 12h.1",
  plug: "M8.5 4v4M15.5 4v4M6.5 8h11v3.5a5.5 5.5 0 0 1-11 0zM12 17v4",
  search: "M10.5 17a6.5 6.5 0 1 0 0-13 6.5 6.5 0 0 0 0 13zM15.5 15.5 20 20",
  sensor: "M12 14a2 2 0 1 0 0-4 2 2 0 0 0 0 4zM8 16a5.6 5.6 0 0 1 0-8M16 8a5.6 5.6 0 0 1 0 8M5 19a10 10 0 0 1 0-14M19 5a10 10 0 0 1 0 14",
  shield: "M12 3.5 19 6v5.5c0 4.5-3 7.5-7 9-4-1.5-7-4.5-7-9V6z",
  spark: "M12 4v4M12 16v4M4 12h4M16 12h4M6.5 6.5l2.5 2.5M15 15l2.5 2.5M17.5 6.5 15 9M9 15l-2.5 2.5",
  down: "M6 9.5l6 6 6-6",
  up: "M6 14.5l6-6 6 6",
  star: "M12 4.2l2.4 5 5.4.7-4 3.8 1 5.4-4.8-2.6-4.8 2.6 1-5.4-4-3.8 5.4-.7z",
  timer: "M12 20a7.2 7.2 0 1 0 0-14.4A7.2 7.2 0 0 0 12 20zM12 9v4l2.5 1.5M9.5 3h5",
  houses: "M3.5 12.5 9 8l5.5 4.5V19h-11zM12 10l3.5-3.5 5 4V19h-6",
  info: "M12 20a8 8 0 1 0 0-16 8 8 0 0 0 0 16zM12 11v5M12 8v.2",
  unlock: "M6 11h12v9H6zM8.5 11V8a3.5 3.5 0 0 1 6.8-1.2M12 14.5V17",
  valve: "M4 9v9M20 9v9M4 10.5l8 3 8-3v6l-8-3-8 3zM12 13.5V7M9 7h6",
};

// A drawing that says nothing to a screen reader: the words beside it do.
export function icon(name) {
  const drawing = document.createElementNS(svgSpace, "svg");
  drawing.setAttribute("viewBox", "0 0 24 24");
  drawing.setAttribute("aria-hidden", "true");
  drawing.setAttribute("class", "icon");
  const path = document.createElementNS(svgSpace, "path");
  path.setAttribute("d", shapes[name] ?? shapes.plug);
  drawing.append(path);
  return drawing;
}

// A list whose elements stay where and what they are while its items change, and with them focus and sliders.
//
// `make(item)` returns {node, update(item)}, or {node, steps(item)} for one that is drawn in steps.
export class KeyedList {
  #parent; #make; #rows = new Map();

  constructor(parent, make) { this.#parent = parent; this.#make = make; }

  show(items, keyOf) { for (const _ of this.steps(items, keyOf)); }

  // The same, for who rests between two steps. Another call of either waits until it is done.
  *steps(items, keyOf) {
    const before = this.#rows;
    this.#rows = new Map();
    let place = this.#parent.firstElementChild;
    for (const item of items) {
      const key = keyOf(item);
      if (this.#rows.has(key)) continue; // the same thing twice would be one element in two places
      const row = before.get(key) ?? this.#make(item);
      before.delete(key);
      this.#rows.set(key, row);
      if (row.node === place) place = place.nextElementSibling;
      else this.#move(row.node, place);
      if (row.steps) yield* row.steps(item);
      else row.update(item);
      yield;
    }
    // Another list may have taken it meanwhile.
    for (const row of before.values()) if (row.node.parentNode === this.#parent) row.node.remove();
  }

  // What is moved loses focus.
  #move(node, place) {
    const focused = node.contains(document.activeElement) ? document.activeElement : null;
    this.#parent.insertBefore(node, place);
    focused?.focus({ preventScroll: true });
  }

  get rows() { return this.#rows.values(); }
  get size() { return this.#rows.size; }
}

// A heading, perhaps with a button, and a list or what stands there while it is empty.
export class Part {
  constructor(title, makeRow, empty, button) {
    this.items = make("ul.list");
    this.list = new KeyedList(this.items, makeRow);
    this.empty = make("p.none", { hidden: true }, empty);
    this.node = make("section.part",
      title ? make("div.headline", make("h2", title), button) : null, this.empty, this.items);
  }
  show(items, keyOf) {
    this.list.show(items, keyOf);
    set(this.empty, "hidden", items.length > 0);
  }
}

export class Row {
  constructor(drawing, ...actions) {
    this.name = make("p.name", { dir: "auto" });
    this.words = make("p.words", { dir: "auto" });
    this.title = make("div.title", this.name, this.words);
    this.node = make("li.item", make("span.badge", icon(drawing)), this.title,
      actions.length > 0 ? make("div.buttons", ...actions) : null);
  }
}

const relative = new Intl.RelativeTimeFormat(locale, { numeric: "auto" });
const clockTime = new Intl.DateTimeFormat(locale, { hour: "2-digit", minute: "2-digit" });
const dayTime = new Intl.DateTimeFormat(locale, {
  weekday: "short", day: "numeric", month: "short", hour: "2-digit", minute: "2-digit",
});

// "12 seconds", of milliseconds.
export function span(milliseconds) {
  const seconds = Math.max(0, Math.round(milliseconds / 1000));
  return seconds < 90 ? n(seconds, "second", "seconds") : seconds < 5400 ? n(Math.round(seconds / 60), "minute", "minutes")
    : seconds < 129600 ? n(Math.round(seconds / 3600), "hour", "hours") : n(Math.round(seconds / 86400), "day", "days");
}

export const clockAt = (date) => clockTime.format(date);
// When it was so many milliseconds ago: "14:05".
export const clock = (age) => clockAt(new Date(Date.now() - age));

// A time for people, "today 14:05"; "" for what is no time.
export function when(text) {
  const date = new Date(text);
  if (typeof text !== "string" || Number.isNaN(date.getTime())) return "";
  const days = Math.round((startOfDay(date) - startOfDay(new Date())) / 86400000);
  return days === 0 || days === -1
    ? `${relative.format(days, "day")} ${clockTime.format(date)}` : dayTime.format(date);
}

function startOfDay(date) { return new Date(date.getFullYear(), date.getMonth(), date.getDate()).getTime(); }

// As people sort names: 9 before 10.
export const sorting = new Intl.Collator(undefined, { numeric: true, sensitivity: "base" });

// "1 lamp", "3 lamps".
export function count(number, word, plural = `${word}s`) { return n(number, word, plural); }

// A name inside a text: its own direction of writing does not turn the words around it (Unicode UAX #9, isolates).
export const called = (name) => `\u2068${name}\u2069`;
// The same for names between quotes, as the hub tells them.
export const quoting = (text) => text.replace(/"[^"]{1,200}"/g, called);

// What programs are told begins in lower case, and without a stop.
export function sentence(text) {
  const whole = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.!?…)]$/.test(whole) ? whole : `${whole}.`;
}

// Shows a short message for a while, and lets a screen reader say it.
export function toast(text, kind = "note") {
  const all = document.getElementById("toasts");
  for (const old of all.children) if (old.dataset.text === text) old.remove();
  const node = make("div", { class: `toast ${kind}`, "data-text": text },
    make("p", text),
    make("button.quiet", { "aria-label": t("Close the message"), onclick: () => node.remove() }, icon("close")));
  all.append(node);
  while (all.children.length > 3) all.firstElementChild.remove();
  setTimeout(() => node.remove(), kind === "fault" ? 12000 : 5000);
}

// Asks before something that is not easily taken back. Resolves to true or false.
export function confirm(question, details, verb, isDangerous = true) {
  return new Promise((resolve) => {
    const dialog = show("", question,
      details ? make("p.details", { dir: "auto" }, details) : null,
      make("form.buttons", { method: "dialog" },
        make("button", { value: "no" }, t("Cancel")),
        make("button", { value: "yes", class: isDangerous ? "danger" : "primary" }, verb)));
    dialog.addEventListener("close", () => resolve(dialog.returnValue === "yes"));
  });
}

// Asks for one of these names. Resolves to it, or to null.
export function choose(question, names) {
  return new Promise((resolve) => {
    const dialog = show("", question, make("form.buttons", { method: "dialog" },
      make("button", { value: "" }, t("Cancel")),
      ...names.map((name, index) => make("button.primary", { value: index, dir: "auto" }, name))));
    dialog.addEventListener("close", () => resolve(names[dialog.returnValue] ?? null));
  });
}

// What is told while a dialog is open is told in it: nothing else can be reached or heard then.
const raise = () => ([...document.querySelectorAll("dialog[open]")].at(-1) ?? document.body)
  .append(document.getElementById("toasts"));

// A dialog, shown at once; it is gone when it is closed.
export function show(kind, title, ...parts) {
  const id = `title-${crypto.randomUUID()}`;
  const dialog = make(`dialog.ask${kind}`, { "aria-labelledby": id, onclose: () => { raise(); dialog.remove(); } },
    make("h2", { id, dir: "auto" }, title), ...parts);
  document.body.append(dialog);
  dialog.showModal();
  raise();
  return dialog;
}

// What takes long in a large house is done in turns: steps until so many milliseconds have passed; then the browser
// shows what is there, and the next turn begins after that. So no task is longer than a turn and the step that it ends
// with, which is a card, however many appliances there are and whatever has changed.
const turn = 3;
const works = [];
// Null while nothing is under way.
let end = null;
let isWorking = false;

// Returns what does the steps of a generator: at once what there is time for. Asked for while it is under way, it does
// them again after all that waits: else who changes often would never come to an end. What is urgent goes before.
export function inTurns(steps, isUrgent = false) {
  let isBusy = false, isStale = false;
  const start = () => {
    [isBusy, isStale] = [true, false];
    if (isUrgent) works.unshift(all());
    else works.push(all());
  };
  function* all() {
    try {
      yield* steps();
    } finally {
      isBusy = false;
      if (isStale) start();
    }
  }
  return () => {
    if (isBusy) isStale = true;
    else start();
    if (isWorking) return;
    if (end === null) beginTurn();
    else work();
  };
}

function beginTurn() {
  end = performance.now() + turn;
  requestAnimationFrame(() => setTimeout(() => {
    if (works.length > 0) beginTurn();
    else end = null;
  }));
  work();
}

function work() {
  isWorking = true;
  try {
    while (works.length > 0 && performance.now() < end) {
      const [first] = works;
      if (first.next().done) works.splice(works.indexOf(first), 1);
    }
  } finally {
    isWorking = false;
  }
}
