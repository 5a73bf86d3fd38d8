// The first view: what needs attention, scenes, and the rooms with their appliances.

import { Card } from "./card.js";
import { button, called, confirm, count, icon, KeyedList, make, quoting, Row, say, sentence, set, sorting, toast, when } from "./dom.js";
import { array, ask, list, own, part } from "./hub.js";

// So many appliances are added before the browser gets its turn: a switch must not wait for two hundred others.
const batch = 24;
// A house of fewer is looked over faster than searched.
const fewest = 13;

export class HomeView {
  armed = { count: 0, total: 0, scenes: [] };
  #app; #filter = "all"; #query = ""; #rooms = []; #scenes = []; #limit = batch; #cards = new Map();

  constructor(app) {
    this.#app = app;
    this.search = make("input", {
      type: "search", placeholder: "Find an appliance", "aria-label": "Find an appliance", autocomplete: "off",
      oninput: () => { this.#query = this.search.value.trim().toLowerCase(); this.show(); },
    });
    this.filters = ["all", "sounding", "on", "open", "fault"].map((filter) => {
      const number = make("b");
      const chip = make("button.chip", {
        "data-filter": filter, onclick: () => { this.#filter = filter; this.show(); },
      }, number, make("span"));
      return { filter, number, word: chip.lastElementChild, button: chip };
    });
    this.notices = make("ul.notices");
    this.noticeList = new KeyedList(this.notices, (notice) => new Notice(notice));
    this.sceneRow = make("ul.scenes", { "aria-label": "Scenes" });
    this.sceneList = new KeyedList(this.sceneRow, () => new SceneButton(this));
    this.empty = make("div.empty", { hidden: true }, make("h2"), make("p"));
    this.sections = make("div.rooms");
    this.roomList = new KeyedList(this.sections, () => new RoomSection(this));
    this.overview = make("div.chips", { role: "group", "aria-label": "Show" }, ...this.filters.map((each) => each.button));
    this.tools = make("div.tools", this.overview,
      make("label.search", icon("search"), this.search));
    this.node = make("section.view", make("h1.hidden", "Home"),
      this.notices, this.sceneRow, this.tools, this.empty, this.sections);
  }

  // What changes seldom. A hub without rooms or scenes shows its appliances.
  async load() {
    const [rooms, scenes, current, armed] = await Promise.all(
      [own("rooms"), own("scenes"), own("scenes/current"), own("armed")]);
    this.#rooms = list(rooms, "rooms");
    this.#app.house.setKinds(list(rooms, "kinds"));
    const rules = list(armed, "rules").filter((rule) => array(rule.in).length > 0);
    this.armed = {
      ...armed, count: rules.filter((rule) => rule.armed === true).length, total: rules.length,
      scenes: [...new Set(rules.flatMap((rule) => rule.in.map(String)))].sort(sorting.compare),
    };
    const named = list(scenes, "scenes").filter((scene) => typeof scene.name === "string");
    // The scene that ran last, as long as the house is as it says. Others that match by chance are not meant.
    const last = named.reduce((last, scene) => (String(scene.ran ?? "") > String(last?.ran ?? "") ? scene : last), null);
    const isActive = (scene) => array(current?.matching).includes(scene.name)
      && (scene === last || scene.name === current.scene && scene.ran === last?.ran && scene.ran !== undefined);
    this.#scenes = named.map((scene) => ({
      ...scene, isActive: isActive(scene), decides: this.armed.count > 0 && scene.name === this.armed.scene,
    }));
    this.show();
  }

  show() {
    const house = this.#app.house;
    const all = [...house.appliances.values()];
    this.noticeList.show(this.#app.notices, (notice) => notice.key);
    this.sceneList.show(this.#scenes.map((scene) => ({ ...scene, isActive: scene.isActive && this.#isSo(scene) })),
      (scene) => scene.name);
    set(this.sceneRow, "hidden", this.#scenes.length === 0);
    const numbers = {
      all: all.length, on: all.filter((each) => each.isOn).length, open: all.filter((each) => each.isOpen).length,
      sounding: all.filter((each) => each.isSounding).length, fault: all.filter((each) => each.fault).length,
    };
    const names = { all: "in all", sounding: numbers.sounding === 1 ? "alarm" : "alarms", on: "on", open: "open", fault: "without an answer" };
    if (numbers[this.#filter] === 0) this.#filter = "all";
    for (const { filter, number, word, button } of this.filters) {
      say(number, String(numbers[filter]));
      say(word, names[filter]);
      set(button, "aria-pressed", String(this.#filter === filter));
      set(button, "hidden", filter !== "all" && numbers[filter] === 0 && filter !== "on");
      set(button, "disabled", filter === "on" && numbers.on === 0);
    }
    set(this.tools, "hidden", all.length === 0);
    set(this.search.parentElement, "hidden", all.length < fewest);
    const shown = all.filter((each) => this.#isShown(each));
    this.#showEmpty(all.length, shown.length);
    this.#showRooms(shown);
  }

  // False once an appliance is seen to be another way than the scene says: the hub is asked for that now and then.
  #isSo(scene) {
    return list(scene.states).every(({ device, activator, state }) => {
      const now = this.#app.house.appliances.get(device)?.activators.find((each) => each.id === activator)?.state;
      return typeof now !== typeof state || (typeof state === "number" ? Math.abs(now - state) < 0.01 : now === state);
    });
  }

  #isShown(appliance) {
    const passes = {
      all: true, sounding: appliance.isSounding, on: appliance.isOn, open: appliance.isOpen, fault: appliance.fault !== null,
    };
    return passes[this.#filter]
      && (this.#query === "" || `${appliance.name} ${appliance.type}`.toLowerCase().includes(this.#query));
  }

  #showEmpty(all, shown) {
    const isAway = this.#app.isHouseAway;
    set(this.empty, "hidden", shown > 0 || !this.#app.hasHouse && !isAway);
    const [title, text] = all > 0 ? ["Nothing fits", "No appliance has this in its name."]
      : isAway ? ["The house does not answer", "The hub is there, and the server behind it is not. The page asks again by itself."]
      : ["No appliances yet", "The hub knows none. “hubpair home add” on a paired computer adds one; then it appears here."];
    say(this.empty.children[0], title);
    say(this.empty.children[1], text);
  }

  #showRooms(shown) {
    const places = new Map();
    for (const room of this.#rooms) for (const id of array(room.devices)) places.set(id, room);
    const rooms = new Map(this.#rooms.map((room) => [room, []]));
    const others = [];
    for (const appliance of shown) (rooms.get(places.get(appliance.id)) ?? others).push(appliance);
    const sections = [...rooms].map(([room, appliances]) => ({
      key: String(room.id), name: String(room.name ?? room.id), area: room.area ? String(room.area) : "", appliances,
    })).filter((section) => section.appliances.length > 0);
    sections.sort((one, other) => sorting.compare(one.area, other.area) || sorting.compare(one.name, other.name));
    if (others.length > 0) {
      sections.push({ key: "", name: sections.length > 0 ? "In no room" : "Appliances", area: "", appliances: others });
    }
    let left = this.#limit;
    for (const section of sections) {
      section.appliances.sort((one, other) => sorting.compare(one.name, other.name));
      section.appliances = section.appliances.slice(0, left);
      left -= section.appliances.length;
    }
    this.roomList.show(sections.filter((section) => section.appliances.length > 0), (section) => section.key);
    if (this.#limit < shown.length) {
      requestAnimationFrame(() => setTimeout(() => { this.#limit += batch; this.show(); }));
    }
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

  card(id) {
    let card = this.#cards.get(id);
    if (!card) this.#cards.set(id, card = new Card(this.#app.house));
    return card;
  }

  async run(scene) {
    const opening = this.#openedBy(scene);
    const isMeant = opening.length === 0
      || await confirm(`Run ${called(scene.name)}?`, opening.join("\n"), "Run", false);
    if (!isMeant) return;
    try {
      const answer = await ask("POST", `scenes/${part(scene.name)}/run`, undefined, 40);
      const failed = list(answer, "states").filter((each) => each.result !== "confirmed").length;
      const result = failed > 0 ? `${count(failed, "appliance")} did not follow` : "done";
      toast(`${called(scene.name)}: ${result}`,
        failed > 0 ? "fault" : "note");
      if (typeof answer?.note === "string") toast(sentence(quoting(answer.note)), "fault");
    } catch (error) {
      toast(`${called(scene.name)}: ${sentence(error.message)}`, "fault");
    }
    this.#app.refresh();
  }
}

class RoomSection {
  constructor(view) {
    const id = `room-${crypto.randomUUID()}`;
    this.area = make("span.area", { dir: "auto" });
    this.name = make("span", { dir: "auto" });
    this.note = make("span.note");
    this.cards = make("ul.cards", { "aria-labelledby": id });
    this.list = new KeyedList(this.cards, (appliance) => view.card(appliance.id));
    this.node = make("section.room", { "aria-labelledby": id },
      make("h2", make("span", { id }, this.name, " ", this.area), this.note), this.cards);
  }
  update(section) {
    say(this.name, section.name);
    say(this.area, section.area);
    const on = section.appliances.filter((each) => each.isOn).length;
    say(this.note, on > 0 ? `${on} on` : "");
    this.list.show(section.appliances, (appliance) => appliance.id);
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
        await view.run(this.#scene);
        set(this.button, "aria-busy", null);
      },
    }, this.drawings.spark, this.drawings.shield, this.name, this.state);
    this.node = make("li", this.button);
  }
  update(scene) {
    this.#scene = scene;
    say(this.name, scene.name);
    set(this.button, "data-active", scene.isActive);
    set(this.drawings.spark, "hidden", scene.decides);
    set(this.drawings.shield, "hidden", !scene.decides);
    const words = [scene.isActive ? "the house is as it says" : "", scene.decides ? "decides what is armed" : ""];
    say(this.state, words.filter((each) => each !== "").map((each) => `, ${each}`).join(""));
    set(this.button, "title", when(scene.next) === "" ? null : `also runs ${when(scene.next)}`);
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
