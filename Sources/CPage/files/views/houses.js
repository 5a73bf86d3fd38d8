// The houses of this computer, where “hubpair open” shows the page: a section for each hub that it is paired with, as
// the house is, or as it was when it was seen last.

import { Appliance } from "./appliance.js";
import { button, icon, KeyedList, make, say, sentence, set, sorting, span, toast } from "./dom.js";
import { House } from "./house.js";
import { SceneLine } from "./home.js";
import { array, ask, Away, list, own, part, Refusal } from "./hub.js";
import { byRoom, Column, favouritesOf } from "./sections.js";
import { m, t } from "./text.js";

const local = "/hubpair/local/";
const pollTime = 3000;
const longestWait = 15000;
// In seconds: whoever does not answer in this time is away.
const patience = 8;
// Browsers have six connections to this computer, and the page of one hub needs three. A hub that is away takes long.
const atOnce = 3;
const shownAlarms = 3;
// Fewer appliances are looked over faster than searched.
const fewest = 13;
const roleNames = { owner: m("Owner"), member: m("Member"), guest: m("Guest") };

export class HousesView {
  query = "";
  #hubs = []; #isOpen = false; #running = 0; #waiting = [];

  constructor() {
    this.choices = make("div.chips", { role: "group", "aria-label": t("Which houses are shown") });
    this.choiceList = new KeyedList(this.choices, () => new Choice(this));
    this.search = make("input", {
      type: "search", placeholder: t("Find an appliance"), "aria-label": t("Find an appliance"), autocomplete: "off",
      oninput: () => { this.query = this.search.value.trim().toLowerCase(); for (const each of this.list.rows) each.draw(); },
    });
    this.tools = make("div.tools", { hidden: true }, make("label.search", icon("search"), this.search));
    this.none = make("p.none", t("No house is shown. Choose one above."));
    this.sections = make("div.houses");
    this.list = new KeyedList(this.sections, (hub) => new HouseSection(this, hub));
    this.node = make("section.view", { hidden: true }, make("h1", t("Houses")), this.choices, this.tools, this.none, this.sections);
    document.addEventListener("visibilitychange", () => this.show());
    setInterval(() => { if (this.isOpen) for (const each of this.list.rows) each.showStatus(); }, 1000);
  }

  // There is one page for one house.
  get isThere() { return this.#hubs.length > 1; }
  get isOpen() { return this.#isOpen && !document.hidden; }

  // What “hubs” of this computer says.
  take(answer) {
    this.#hubs = answer?.houses === true ? list(answer, "hubs").filter((hub) => hub.hub && hub.status === "paired") : [];
    this.#draw();
  }

  #draw() {
    const shown = this.#hubs.filter((hub) => hub.hidden !== true);
    this.choiceList.show(this.#hubs, (hub) => hub.hub);
    this.list.show(shown, (hub) => hub.hub);
    set(this.none, "hidden", shown.length > 0);
    if (this.isOpen) for (const each of this.list.rows) each.begin();
  }

  show() {
    // Called at first when the page shows it, and later when somebody looks at it again.
    if (this.node.hidden) return;
    this.#isOpen = true;
    this.#draw();
  }

  hide() { this.#isOpen = false; }

  // One field finds what is in any of the houses.
  showSearch() {
    const count = [...this.list.rows].reduce((sum, each) => sum + each.house.appliances.size, 0);
    set(this.tools, "hidden", count < fewest && this.query === "");
  }

  has(section) { return [...this.list.rows].includes(section); }

  async choose(hub, hidden) {
    try {
      this.take(await ask("POST", `${local}hubs/hide`, { hub: hub.hub, hidden }));
    } catch (error) {
      toast(sentence(error.message), "fault");
    }
  }

  async open(hub) {
    try {
      await ask("POST", `${local}hubs/show`, { hub: hub.hub });
      location.hash = "home";
      location.reload();
    } catch (error) {
      toast(sentence(error.message), "fault");
    }
  }

  // So many are asked at a time, one after the other.
  async turn(act) {
    if (this.#running >= atOnce) await new Promise((go) => this.#waiting.push(go));
    else this.#running += 1;
    try {
      return await act();
    } finally {
      const next = this.#waiting.shift();
      if (next) next();
      else this.#running -= 1;
    }
  }
}

class Choice {
  constructor(view) {
    this.name = make("span", { dir: "auto" });
    this.node = make("button.chip", { onclick: () => view.choose(this.hub, this.hub.hidden !== true) }, this.name);
  }
  update(hub) {
    this.hub = hub;
    say(this.name, hub.name);
    set(this.node, "aria-pressed", String(hub.hidden !== true));
  }
}

// An appliance of which this computer remembers how it was.
class KeptAppliance extends Appliance {
  #words;
  constructor({ name, type, state }, index) {
    super({ deviceId: `kept ${index}`, name, type, activators: [] });
    const words = String(state ?? "");
    this.#words = t(words.slice(0, 1).toUpperCase() + words.slice(1));
  }
  get words() { return this.#words; }
}

class HouseSection {
  #view; #hub; #timer = null; #isBusy = false; #isDrawing = false; #wait = pollTime; #rounds = 0; #rooms = []; #alarms = []; #pictures = null;
  // The fault of the hub, or of the house behind it; and when the house was as it is shown, in this page's time.
  #fault = null; #houseFault = null; #time = null; #role = null; #mayArrange = false;
  // For the cards and the sheet. What else this device may do stands on the page of that hub.
  may = new Set();
  home = {
    timers: null, preferences: null, load: () => this.#loadTimers(),
    get favourites() { return array(this.preferences?.favourites).map(String); },
    favour: async (id, isFavourite) => {
      const favourites = this.home.favourites.filter((each) => each !== id);
      if (isFavourite) favourites.push(id);
      this.home.preferences = await ask("PUT", this.house.path("preferences"), { ...this.home.preferences, favourites });
      this.draw();
    },
    hasPicture: (id) => this.#pictures?.has(String(id)) === true,
    timerOf: ({ id, activators }) => (this.home.timers?.size
      ? activators.map((each) => this.home.timers.get(`${id}/${each.id}`)).find(Boolean) ?? null : null),
  };

  constructor(view, hub) {
    [this.#view, this.#hub] = [view, hub];
    this.house = new House(`${local}at/${part(hub.hub)}`);
    this.house.onchange = (changed) => {
      for (const each of changed) for (const column of [this.first, this.column]) column.showOne(each);
      this.draw();
    };
    const id = this.labelledBy = `house-${crypto.randomUUID()}`;
    this.name = make("h2", { id, dir: "auto" });
    this.words = make("span");
    this.status = make("p.status", make("span.dot", { "aria-hidden": "true" }), this.words);
    this.open = button(t("Its page"), () => view.open(this.#hub));
    this.alarms = make("ul.notices");
    this.alarmList = new KeyedList(this.alarms, () => new AlarmRow());
    this.note = make("p.words");
    this.scenes = new SceneLine(this);
    this.nothing = make("p.words", { hidden: true }, t("No appliance has this in its name."));
    [this.first, this.column] = [new Column(this), new Column(this)];
    this.node = make("section.house", { "aria-labelledby": id },
      make("div.headline.of", this.name, this.status, this.open), this.note, this.alarms, this.scenes.node, this.nothing, this.first.node, this.column.node);
  }

  update(hub) {
    this.#hub = hub;
    say(this.name, hub.name);
    set(this.open, "aria-label", t("The page of {0}", hub.name));
    this.showStatus();
  }

  // After a scene.
  refresh() { if (!this.#isBusy) this.load(); }

  begin() { if (!this.#isBusy && this.#timer === null) this.load(); }

  async load() {
    clearTimeout(this.#timer);
    [this.#timer, this.#isBusy] = [null, true];
    try {
      await this.#view.turn(() => this.#ask());
      [this.#fault, this.#wait] = [null, pollTime];
      this.#rounds += 1;
    } catch (error) {
      if (!(error instanceof Away || error instanceof Refusal)) throw error;
      [this.#fault, this.#rounds] = [error, 0];
      this.#wait = Math.min(this.#wait * 2, longestWait);
      if (this.#time === null && !error.isStranger) await this.#recall();
      // What this device may not see any more is not shown.
      if (error.isStranger) this.house.appliances.clear();
    } finally {
      this.#isBusy = false;
      this.draw();
      if (this.#view.isOpen && this.#view.has(this)) {
        this.#timer = setTimeout(() => { this.#timer = null; if (this.#view.isOpen && this.#view.has(this)) this.load(); }, this.#wait);
      }
    }
  }

  async #ask() {
    const { house } = this;
    if (this.#rounds === 0) {
      const device = await ask("GET", house.path("device"), undefined, patience);
      if (device?.status !== "approved") throw new Refusal(403, "not_approved", t("This computer is not let in."));
      this.#role = typeof device.role === "string" ? device.role : "member";
      house.opensAll = array(device.may).includes("open");
      this.#mayArrange = array(device.may).includes("arrange");
    }
    try {
      await house.load();
      this.#houseFault = null;
    } catch (error) {
      if (!(error instanceof Refusal) || error.isStranger) throw error;
      this.#houseFault = error;
    }
    this.#time = performance.now() - house.age * 1000;
    if (this.#rounds % 5 !== 0) return;
    const [rooms, open, scenes, current, preferences, pictures] = await Promise.all([
      ...["rooms", `messages?open=1&limit=${shownAlarms}`, "scenes", "scenes/current", "preferences"].map((path) => own(house.path(path))),
      this.#mayArrange ? own(house.path("pictures")) : null, this.#loadTimers()]);
    this.scenes.take(scenes, current, null);
    this.home.preferences = preferences;
    this.#pictures = new Set(list(pictures, "pictures").map((each) => String(each.device)));
    this.#rooms = list(rooms, "rooms");
    this.#alarms = list(open, "messages").filter((each) => each.kind === "alarm" && !each.acknowledged);
    house.setWords(list(rooms, "kinds"), list(rooms, "units"));
  }

  async #loadTimers() {
    const timers = await own(this.house.path("timers"));
    this.home.timers = timers && new Map(list(timers, "timers").map((each) => [`${each.device}/${each.activator}`, each]));
  }

  // How this computer has seen the house last, perhaps days ago.
  async #recall() {
    const kept = await own(`${local}hubs/kept/${part(this.#hub.hub)}`).catch(() => null);
    const seen = new Date(kept?.seen ?? NaN).getTime();
    if (!Number.isFinite(seen)) return;
    this.#time = performance.now() - Math.max(0, Date.now() - seen);
    const { appliances } = this.house;
    const found = list(kept, "appliances").map((each, index) => new KeptAppliance(each, index));
    for (const each of found.sort((one, other) => sorting.compare(one.name, other.name))) appliances.set(each.id, each);
  }

  draw() {
    if (this.#isDrawing) return;
    this.#isDrawing = true;
    requestAnimationFrame(() => {
      this.#isDrawing = false;
      const { query } = this.#view, all = [...this.house.appliances.values()];
      const shown = all.filter((each) => query === "" || `${each.name} ${each.type}`.toLowerCase().includes(query));
      set(this.nothing, "hidden", shown.length > 0 || all.length === 0);
      const favourites = favouritesOf(this.home.favourites, shown);
      this.first.show(favourites);
      set(this.first.node, "hidden", favourites.length === 0);
      this.column.show(byRoom(shown, this.#rooms));
      this.scenes.show();
      this.#view.showSearch();
      this.alarmList.show(this.#alarms, (alarm) => alarm.id);
      this.showStatus();
    });
  }

  // How fresh is what the section shows.
  showStatus() {
    const age = this.#time === null ? null : performance.now() - this.#time;
    const old = age === null ? "" : ` · ${t("{0} old", span(age))}`;
    const [kind, text] = this.#fault instanceof Away ? ["away", `${t("Hub away")}${old}`]
      : this.#fault ? ["away", `${this.#fault.isStranger ? t("Not let in") : t("Hub in trouble")}${old}`]
      : this.#houseFault ? ["old", `${t("House away")}${old}`]
      : age === null ? ["wait", t("Asking …")]
      : age < pollTime + 10000 ? ["live", t("Up to date")] : ["old", t("{0} old", span(age))];
    set(this.status, "data-kind", kind);
    say(this.words, text);
    set(this.node, "data-old", kind === "away" || kind === "old");
    const fault = this.#fault ?? this.#houseFault;
    const isEmpty = this.house.appliances.size === 0;
    const role = this.#role === null ? "" : t("You are here as {0}.", t(roleNames[this.#role] ?? this.#role));
    say(this.note, fault ? `${sentence(fault.message)}${isEmpty ? ` ${t("This computer does not know how the house was.")}` : ""}`
      : age !== null && isEmpty ? t("No appliances yet") : role);
  }
}

class AlarmRow {
  constructor() {
    this.name = make("p.name", { dir: "auto" });
    this.node = make("li.item", { "data-kind": "alarm" }, make("span.badge", icon("alarm")),
      make("div.title", this.name, make("p.words", t("Alarm"))));
  }
  update(alarm) { say(this.name, String(alarm.text)); }
}
