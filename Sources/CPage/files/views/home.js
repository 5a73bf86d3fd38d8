// The first view: what needs attention, scenes, and the rooms with their appliances.

import { button, called, confirm, icon, inTurns, KeyedList, make, quoting, Row, say, sentence, set, sorting, toast, when } from "./dom.js";
import { array, ask, list, own, part } from "./hub.js";
import { byKind, byRoom, Column, favouritesOf } from "./sections.js";
import { keep, kept, m, n, t } from "./text.js";

// Room for both views beside one another.
const wide = matchMedia("(min-width: 78rem)");
// A house of fewer is looked over faster than searched.
const fewest = 13;

// What one looks for at a glance.
const facts = {
  all: { one: m("in all"), many: m("in all"), is: () => true },
  sounding: { one: m("alarm"), many: m("alarms"), is: (each) => each.isSounding },
  unlocked: { one: m("unlocked"), many: m("unlocked"), is: (each) => each.isUnlocked },
  open: { one: m("open"), many: m("open"), is: (each) => each.isOpen && !each.isUnlocked },
  lights: { one: m("light on"), many: m("lights on"), is: (each) => each.isOn === true && each.kind === "light" },
  on: { one: m("other on"), many: m("others on"), is: (each) => each.isOn === true && each.kind !== "light" },
  fault: { one: m("without an answer"), many: m("without an answer"), is: (each) => each.fault !== null },
  low: { one: m("battery low"), many: m("batteries low"), is: (each) => each.isLow },
};

export class HomeView {
  // What this device wants the page to be like; null where the hub keeps no such thing.
  preferences = null;
  timers = new Map();
  // Where an appliance's picture comes from, by its id, for who may see it; null where the hub has no such thing.
  pictures = null;
  armed = { count: 0, total: 0, scenes: [] };
  #app; #filter = "all"; #query = ""; #rooms = []; #changed = new Set();
  #draw = inTurns(() => this.#look());
  // Somebody may just have pressed its switch.
  #drawChanged = inTurns(() => this.#showChanged(), true);

  constructor(app) {
    this.#app = app;
    this.search = make("input", {
      type: "search", placeholder: t("Find an appliance"), "aria-label": t("Find an appliance"), autocomplete: "off",
      oninput: () => { this.#query = this.search.value.trim().toLowerCase(); this.show(); },
    });
    this.filters = Object.keys(facts).map((filter) => {
      const number = make("b");
      const chip = make("button.chip", {
        "data-filter": filter, onclick: () => { this.#filter = filter; this.show(); },
      }, number, make("span"));
      return { filter, number, word: chip.lastElementChild, button: chip };
    });
    this.notices = make("ul.notices");
    this.noticeList = new KeyedList(this.notices, (notice) => new Notice(notice));
    this.scenes = new SceneLine(app);
    this.empty = make("div.empty", { hidden: true }, make("h2"), make("p"));
    [this.first, this.rooms, this.kinds] = [new Column(app), new Column(app), new Column(app, {}, true)];
    this.columns = make("div.columns", this.rooms.node, this.kinds.node);
    const byButton = (by, word) => make("button.chip", { "data-by": by, onclick: () => {
      keep("by", by);
      this.show();
    } }, word);
    this.by = make("div.chips.by", { role: "group", "aria-label": t("Arranged") },
      byButton("room", t("By room")), byButton("kind", t("By kind")));
    wide.addEventListener("change", () => this.show());
    this.all = make("button.chip.whole", { "aria-haspopup": "dialog", onclick: async () => {
      const { askMany } = await import("./many.js");
      askMany(app, t("The whole house"), [...app.house.appliances.values()]);
    } }, t("All at once"));
    this.overview = make("div.chips", { role: "group", "aria-label": t("Show") }, ...this.filters.map((each) => each.button));
    this.tools = make("div.tools", this.overview, make("div.ways", this.by, this.all),
      make("label.search", icon("search"), this.search));
    this.node = make("section.view", make("h1.hidden", t("Home")),
      this.notices, this.scenes.node, this.tools, this.empty, this.first.node, this.columns);
  }

  // What changes seldom. A hub without rooms or scenes shows its appliances.
  async load() {
    const [rooms, scenes, current, armed, preferences, timers, pictures] = await Promise.all(
      [own("rooms"), own("scenes"), own("scenes/current"), own("armed"), own("preferences"), own("timers"),
        this.#app.may.has("arrange") ? own("pictures") : null]);
    this.pictures = pictures && new Map(list(pictures, "pictures").map((each) => [String(each.device), each.url ?? ""]));
    this.preferences = preferences;
    this.timers = timers && new Map(list(timers, "timers").map((each) => [`${each.device}/${each.activator}`, each]));
    this.#rooms = list(rooms, "rooms");
    this.#app.house.setWords(list(rooms, "kinds"), list(rooms, "units"));
    const rules = list(armed, "rules").filter((rule) => array(rule.in).length > 0);
    this.armed = {
      ...armed, count: rules.filter((rule) => rule.armed === true).length, total: rules.length,
      scenes: [...new Set(rules.flatMap((rule) => rule.in.map(String)))].sort(sorting.compare),
    };
    this.scenes.take(scenes, current, this.armed);
    this.show();
  }

  // The room of an appliance's id; null if it is in none.
  roomOf(id) {
    const room = this.#rooms.find((each) => array(each.devices).includes(String(id)));
    return room ? String(room.name ?? room.id) : null;
  }

  timerOf(appliance) {
    if (!this.timers?.size) return null;
    return appliance.activators.map((each) => this.timers.get(`${appliance.id}/${each.id}`)).find(Boolean) ?? null;
  }

  hasPicture(id) { return this.pictures?.has(String(id)) === true; }

  get favourites() { return array(this.preferences?.favourites).map(String); }

  // Every browser of this device has the same favourites; the hub keeps them.
  async favour(id, isFavourite) {
    const favourites = this.favourites.filter((each) => each !== id);
    if (isFavourite) favourites.push(id);
    await this.prefer({ favourites });
  }

  async prefer(more) {
    this.preferences = await ask("PUT", "preferences", { ...this.preferences, ...more });
    this.show();
  }

  show() {
    this.noticeList.show(this.#app.notices, (notice) => notice.key);
    this.scenes.show();
    this.#draw();
  }

  // What of these is on the page: before all others have their turn.
  showSome(appliances) {
    for (const each of appliances) this.#changed.add(each);
    this.#drawChanged();
  }

  *#showChanged() {
    for (const each of this.#changed) {
      this.#changed.delete(each);
      for (const column of [this.first, this.rooms, this.kinds]) column.showOne(each);
      yield;
    }
  }

  // All appliances are looked through before one of them is drawn.
  *#look() {
    const all = [...this.#app.house.appliances.values()], found = new Map(Object.keys(facts).map((filter) => [filter, []]));
    for (const each of all) {
      for (const [filter, these] of found) if (facts[filter].is(each)) these.push(each);
      yield;
    }
    if (found.get(this.#filter).length === 0) this.#filter = "all";
    for (const { filter, number, word, button } of this.filters) {
      const { one, many } = facts[filter], count = found.get(filter).length;
      say(number, String(count));
      say(word, t(count === 1 ? one : many));
      set(button, "aria-pressed", String(this.#filter === filter));
      set(button, "hidden", filter !== "all" && count === 0);
    }
    set(this.tools, "hidden", all.length === 0);
    set(this.search.parentElement, "hidden", all.length < fewest);
    set(this.by.parentElement, "hidden", all.length < fewest);
    const shown = found.get(this.#filter).filter((each) => this.#isSought(each));
    this.#showEmpty(all.length, shown.length);
    this.#showRooms(shown);
  }

  #isSought({ name, type }) { return this.#query === "" || `${name} ${type}`.toLowerCase().includes(this.#query); }

  #showEmpty(all, shown) {
    const isAway = this.#app.isHouseAway;
    set(this.empty, "hidden", shown > 0 || !this.#app.hasHouse && !isAway);
    const [title, text] = all > 0 ? [t("Nothing fits"), t("No appliance has this in its name.")]
      : isAway ? [t("The house does not answer"), t("The hub is there, and the server behind it is not. The page asks again by itself.")]
      : [t("No appliances yet"), this.#app.may?.has("change") ? t("“Add an appliance” under “Arrange” adds one; then it appears here.") : t("The hub knows none.")];
    say(this.empty.children[0], title);
    say(this.empty.children[1], text);
  }

  #showRooms(shown) {
    const isWide = wide.matches;
    const by = isWide ? "both" : kept("by") === "kind" ? "kind" : "room";
    set(this.columns, "data-by", by);
    set(this.by, "hidden", isWide);
    for (const each of this.by.children) set(each, "aria-pressed", String(each.dataset.by === by));
    const favourites = favouritesOf(this.favourites, shown);
    this.first.show(favourites);
    set(this.first.node, "hidden", favourites.length === 0);
    if (by !== "kind") this.rooms.show(byRoom(shown, this.#rooms));
    if (by !== "room") this.kinds.show(byKind(shown));
    set(this.rooms.node, "hidden", by === "kind");
    set(this.kinds.node, "hidden", by === "room");
  }
}

// The scenes of a house, a button for each, and what they would change.
export class SceneLine {
  #app; #scenes = [];

  // app: {house, refresh()}
  constructor(app) {
    this.#app = app;
    this.row = make("ul.scenes", { "aria-label": t("Scenes") });
    this.list = new KeyedList(this.row, () => new SceneButton(this));
    this.node = make("div.sceneline", this.row, make("button.quiet", {
      "aria-haspopup": "dialog", "aria-label": t("What the scenes would change"), onclick: async () => {
        const { showScenes } = await import("./scenes.js");
        showScenes(this, app.house, this.#scenes);
      },
    }, icon("more")));
  }

  // Answers of the hub. armed: how many rules are, and by which scene.
  take(scenes, current, armed) {
    const named = list(scenes, "scenes").filter((scene) => typeof scene.name === "string");
    // The scene that ran last, as long as the house is as it says. Others that match by chance are not meant.
    const last = named.reduce((last, scene) => (String(scene.ran ?? "") > String(last?.ran ?? "") ? scene : last), null);
    const isActive = (scene) => array(current?.matching).includes(scene.name)
      && (scene === last || scene.name === current.scene && scene.ran === last?.ran && scene.ran !== undefined);
    this.#scenes = named.map((scene) => ({
      ...scene, isActive: isActive(scene), decides: armed?.count > 0 && scene.name === armed.scene,
    }));
  }

  show() {
    this.list.show(this.#scenes.map((scene) => ({ ...scene, isActive: scene.isActive && this.#isSo(scene) })),
      (scene) => scene.name);
    set(this.node, "hidden", this.#scenes.length === 0);
  }

  // False once an appliance is seen to be another way than the scene says: the hub is asked for that now and then.
  #isSo(scene) {
    return list(scene.states).every(({ device, activator, state }) => {
      const now = this.#app.house.appliances.get(device)?.activators.find((each) => each.id === activator)?.state;
      return typeof now !== typeof state || (typeof state === "number" ? Math.abs(now - state) < 0.01 : now === state);
    });
  }

  // What it would do that is asked about, in words.
  #openedBy(scene) {
    const house = this.#app.house;
    return list(scene.states).flatMap(({ device, activator: id, state }) => {
      const appliance = house.appliances.get(device);
      const activator = appliance?.activators.find((each) => each.id === id);
      const asks = activator && activator.state !== state && house.canSet(appliance) && appliance.asksFirst(activator, state);
      return asks ? [`${appliance.verb(activator, state)}: ${called(appliance.name)}`] : [];
    });
  }

  async run(scene) {
    const opening = this.#openedBy(scene);
    const isMeant = opening.length === 0
      || await confirm(t("Run {0}?", called(scene.name)), opening.join("\n"), t("Run"), false);
    if (!isMeant) return;
    try {
      const answer = await ask("POST", this.#app.house.path(`scenes/${part(scene.name)}/run`), undefined, 40);
      const failed = list(answer, "states").filter((each) => each.result !== "confirmed").length;
      const result = failed > 0 ? t("{0} did not follow", n(failed, "appliance", "appliances")) : t("done");
      toast(`${called(scene.name)}: ${result}`,
        failed > 0 ? "fault" : "note");
      if (typeof answer?.note === "string") toast(sentence(quoting(answer.note)), "fault");
    } catch (error) {
      toast(`${called(scene.name)}: ${sentence(error.message)}`, "fault");
    }
    this.#app.refresh();
  }
}

class SceneButton {
  #scene = null;
  constructor(view) {
    this.name = make("span", { dir: "auto" });
    this.state = make("span.hidden");
    this.drawings = { spark: icon("spark"), shield: icon("shield") };
    this.button = make("button.scene", {
      onclick: async () => {
        if (this.button.getAttribute("aria-busy") === "true") return;
        set(this.button, "aria-busy", "true");
        this.update(this.#scene);
        await view.run(this.#scene);
        set(this.button, "aria-busy", null);
        this.update(this.#scene);
      },
    }, this.drawings.spark, this.drawings.shield, this.name, this.state);
    this.node = make("li", this.button);
  }
  update(scene) {
    this.#scene = scene;
    const isBusy = this.button.getAttribute("aria-busy") === "true";
    say(this.name, isBusy ? `${scene.name} …` : scene.name);
    set(this.button, "data-active", scene.isActive);
    set(this.drawings.spark, "hidden", scene.decides);
    set(this.drawings.shield, "hidden", !scene.decides);
    const words = [scene.isActive ? t("the house is as it says") : "", scene.decides ? t("decides what is armed") : ""];
    say(this.state, words.filter((each) => each !== "").map((each) => `, ${each}`).join(""));
    set(this.button, "title", when(scene.next) === "" ? null : t("also runs {0}", when(scene.next)));
  }
}

class Notice extends Row {
  #act = null;
  constructor(notice) {
    const act = button("", () => this.#act());
    super(notice.drawing, act);
    this.button = act;
  }
  update(notice) {
    this.#act = notice.act;
    set(this.node, "data-kind", notice.kind);
    say(this.name, notice.title);
    say(this.words, notice.text);
    say(this.button, notice.verb ?? "");
    set(this.button.parentElement, "hidden", !notice.verb);
  }
}
