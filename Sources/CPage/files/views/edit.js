// Rooms, scenes and rules: lists of them, and forms to change them.

import { button, called, confirm, make, Part, Row, say, sentence, set, show, sorting, toast, when } from "./dom.js";
import { array, ask, list, own, part } from "./hub.js";
import { sceneFields } from "./scenes.js";
import { m, n, t } from "./text.js";

const days = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"];
const dayNames = { mon: m("mon"), tue: m("tue"), wed: m("wed"), thu: m("thu"), fri: m("fri"), sat: m("sat"), sun: m("sun") };
const kindNames = { alarm: m("alarm"), notification: m("notification") };

// What is arranged: how it is listed, its form, and the body that the hub takes.
const kinds = {
  rooms: {
    title: m("Rooms"), fresh: m("New room"), change: m("Change the room"), drawing: "home", none: m("No rooms yet: all appliances are shown together."),
    words: (room) => [room.area, n(room.devices.length, "appliance", "appliances")],
    form(room, { house, all }) {
      const places = new Map(all.rooms.flatMap((each) => each.devices.map((id) => [id, each])));
      const place = (id) => (places.has(id) && places.get(id).id !== room.id ? ` (${called(places.get(id).name)})` : "");
      const devices = checks(t("Appliances in it"), house.map((each) => [each.id, each.name + place(each.id)]), room.devices);
      const area = field(t("Floor or area, if you like"), room.area);
      return [area, devices, () => ({ area: area.input.value.trim() || null, devices: devices.chosen() })];
    },
  },
  scenes: {
    title: m("Scenes"), fresh: m("New scene"), change: m("Change the scene"), drawing: "spark", none: m("No scenes yet. A scene sets many appliances at once."),
    words: (scene) => [
      n(list(scene.states).length, "state", "states"), scene.at && t("at {0}", scene.at),
      scene.at && scene.days?.length < 7 && scene.days.map((day) => t(dayNames[day] ?? day)).join(" "),
    ],
    form(scene, { house }) {
      const devices = sceneFields(house, list(scene.states));
      const [, word, sign] = /^(sunrise|sunset)?([+-]\d+)?/.exec(scene.at ?? "");
      const times = [["", t("Never")], ["at", t("At a time")], ["sunrise", t("At sunrise")], ["sunset", t("At sunset")]];
      const kind = choice(t("By itself"), times, word ?? (scene.at ? "at" : ""));
      const time = field(t("Time"), word ? "" : scene.at, { type: "time" });
      const shift = field(t("Minutes later; with a minus sooner"), sign ?? 0, { type: "number", min: -720, max: 720 });
      const on = checks(t("On|these days"), days.map((day) => [day, t(dayNames[day])]), scene.days ?? days);
      on.node.classList.add("days");
      follow(kind, (value) => {
        appear([time, value === "at"], [shift, value.startsWith("sun")], [on, value !== ""]);
        time.input.required = value === "at";
      });
      return [devices, devices.retake, kind, time, shift, on, () => {
        const value = kind.input.value, late = Number(shift.input.value);
        return {
          states: devices.states(), arms: scene.arms ?? null, days: value ? on.chosen() : null,
          at: value === "" ? null : value === "at" ? time.input.value
            : `${value}${late ? (late > 0 ? "+" : "") + late : ""}`,
        };
      }];
    },
  },
  rules: {
    title: m("Rules"), fresh: m("New rule"), change: m("Change the rule"), drawing: "bell", none: m("No rules yet. A rule tells everybody when something happens."),
    words: (rule) => [t(kindNames[rule.kind] ?? String(rule.kind)), rule.text],
    form(rule, { house, all }) {
      const parts = house.flatMap((each) => each.activators.map(
        (one) => [JSON.stringify([each.id, one.id]), `${called(each.name)}: ${called(one.name)}`]));
      const before = JSON.stringify([rule.device, rule.activator]);
      if (rule.device && !parts.some(([each]) => each === before)) parts.push([before, t("What is gone")]);
      const [word, limit] = (rule.when ?? "on").split(" ");
      const found = (key) => {
        const [device, id] = JSON.parse(key || "[]");
        return house.find((each) => each.id === device)?.activators.find((each) => each.id === id);
      };
      const what = choice(t("When"), parts, before);
      const is = choice(t("Becomes"), [
        ["on", t("on, or open")], ["off", t("off, or closed")], ["above", t("more than")], ["below", t("less than")],
      ], word);
      const number = field("", "", { type: "number" });
      // A value counts what its level counts: degrees, or parts of a hundred.
      const measure = (key) => {
        const one = found(key), scale = one?.isLevel && one.state >= 0 && one.state <= 1 ? one.scale : null;
        const shown = (level) => (!scale ? level : scale.isPercent ? Number((level * 100).toFixed(1)) : scale.value(level));
        say(number.label, scale ? `${t("Value")} (${scale.symbol})` : t("Value"));
        for (const [name, value] of Object.entries({ min: scale?.from, max: scale?.to, step: "any" })) set(number.input, name, value);
        number.input.value = key === before && limit !== undefined ? shown(Number(limit)) : scale ? shown(one.state) : limit ?? 0.5;
        // Of a switch nothing is more or less.
        for (const each of is.input.options) set(each, "hidden", one?.isSwitch === true && !each.value.startsWith("o"));
        if (is.input.selectedOptions[0]?.hidden) {
          is.input.value = "on";
          is.input.dispatchEvent(new Event("change"));
        }
        number.read = () => {
          const value = Number(number.input.value);
          if (key === before && limit !== undefined && value === shown(Number(limit))) return Number(limit);
          return !scale ? value : Number((scale.isPercent ? value / 100 : scale.level(value)).toFixed(6));
        };
      };
      const kind = choice(t("Then comes"), [
        ["notification", t("a notification")], ["alarm", t("an alarm, until somebody acknowledges it")],
      ], rule.kind ?? "notification");
      const text = field(t("Which says"), rule.text, { required: true });
      const names = all.scenes.map((each) => [each.name, each.name]);
      const run = choice(t("And runs the scene"), [["", t("None")], ...names], rule.run ?? "");
      const [, besides, state] = /^(\S+) (.+)$/.exec(rule.and ?? "") ?? [];
      const places = [["", t("Nothing")], ...house.flatMap((each) => each.activators.map(
        (one) => [`${each.id}/${one.id}`, `${called(each.name)}: ${called(one.name)}`]))];
      if (besides && !places.some(([each]) => each === besides)) places.push([besides, t("What is gone")]);
      const other = choice(t("Only while"), places, besides ?? "");
      const how = choice(t("Is"), [["on", t("on, or open")], ["off", t("off, or closed")],
        ...(state && !["on", "off"].includes(state) ? [[state, state]] : [])], state ?? "on");
      follow(other, (value) => appear([how, value !== ""]));
      const within = checks(t("Only in these scenes; none chosen: always"), names, rule.in);
      follow(what, measure);
      follow(is, (value) => appear([number, !value.startsWith("o")]));
      appear([within, names.length > 0], [run, names.length > 0]);
      return [what, is, number, other, how, kind, text, run, within, () => {
        const [device, activator] = JSON.parse(what.input.value || "[]");
        const needs = !number.node.hidden, armed = within.chosen();
        return {
          device, activator, when: is.input.value + (needs ? ` ${number.read()}` : ""),
          kind: kind.input.value, text: text.input.value, run: run.input.value || null, in: armed.length > 0 ? armed : null,
          and: other.input.value ? `${other.input.value} ${how.input.value}` : null,
        };
      }];
    },
  },
};

const byName = (one, other) => sorting.compare(one.name, other.name);

function appear(...fields) { for (const [each, isShown] of fields) set(each.node, "hidden", !isShown); }

function follow(choice, act) {
  choice.input.addEventListener("change", () => act(choice.input.value));
  act(choice.input.value);
}

function field(label, value, more) {
  const input = make("input", { autocomplete: "off", ...more });
  input.value = value ?? "";
  const words = make("span", label);
  return { input, label: words, node: make("label.field", words, input) };
}

function choice(label, options, value) {
  const input = make("select", ...options.map(([key, name]) => make("option", { value: key }, name)));
  if (options.some(([key]) => key === value)) input.value = value;
  return { input, node: make("label.field", label, input) };
}

// Boxes to tick. What is chosen and not listed, since it is away, stays chosen.
function checks(legend, options, chosen) {
  const before = array(chosen).map(String);
  const boxes = options.map(([key, name]) => {
    const box = make("input", { type: "checkbox", value: key });
    box.checked = before.includes(key);
    return { box, node: make("label", box, make("span", { dir: "auto" }, name)) };
  });
  const away = before.filter((key) => !options.some(([each]) => each === key));
  return {
    node: make("fieldset.checks", make("legend", legend), ...boxes.map((each) => each.node)),
    chosen: () => [...boxes.filter(({ box }) => box.checked).map(({ box }) => box.value), ...away],
  };
}

export class ArrangeView {
  #app; #isLoaded = false; all = { rooms: [], scenes: [], rules: [] };

  constructor(app) {
    this.#app = app;
    this.parts = Object.keys(kinds).filter((key) => key !== "rules" || app.may.has("administer")).map((key) => {
      const { title, fresh, none } = kinds[key];
      const add = button(t(fresh), () => this.edit(key, {}));
      return [key, new Part(t(title), () => new ArrangeRow(this, key), t(none), add)];
    });
    const add = app.may.has("change") ? make("button.primary", { onclick: async () => {
      const { add: begin } = await import("./add.js");
      begin(app);
    } }, t("Add an appliance")) : null;
    const history = button(t("History of the house"), async () => {
      const { showHistory } = await import("./history.js");
      showHistory(app, null);
    });
    this.node = make("section.view", { hidden: true },
      make("h1", t("Arrange")), make("div.buttons", add, history), ...this.parts.map(([, each]) => each.node));
  }

  get house() { return [...this.#app.house.appliances.values()].sort(byName); }

  async load() {
    if (location.hash !== "#arrange") return;
    await Promise.all(this.parts.map(async ([key]) => {
      this.all[key] = list(await own(key), key).map((each) => ({
        ...each, name: String(each.name), ...(key === "rooms" && { devices: array(each.devices).map(String) }),
      }));
    }));
    this.#isLoaded = true;
    this.show();
  }

  show() {
    if (!this.#isLoaded) return;
    for (const [key, each] of this.parts) {
      const items = this.all[key].sort(
        (one, other) => sorting.compare(one.area ?? "", other.area ?? "") || byName(one, other));
      each.show(items, (item) => item.id ?? item.name);
    }
  }

  edit(key, item) {
    const { form, fresh, change } = kinds[key];
    const isNew = item.name === undefined;
    const name = field(t("Name"), item.name, { required: true, maxlength: 63 });
    const fields = form(item, this), body = fields.pop();
    const fault = make("p.warning", { role: "alert" });
    const authors = ["made", "changed"].filter((each) => item[each]?.name)
      .map((each) => t(each === "made" ? "made {0} by {1}" : "changed {0} by {1}", when(item[each].at), called(item[each].name))).join(", ");
    // What is changed must be as it was read: else somebody else has changed it, and that is not overwritten.
    const condition = item.etag ? { "If-Match": item.etag } : {};
    let isFresh = false;
    const send = async (work, done) => {
      try {
        await work();
        toast(done);
        dialog.close();
      } catch (error) {
        say(fault, error.status !== 412 ? sentence(error.message)
          : isFresh ? t("There is one of this name already.")
          : t("Somebody else has changed or deleted it meanwhile. Close this, and change it as it is now."));
      }
      await Promise.all([this.load(), this.#app.home.load()]).catch(() => this.#app.refresh());
    };
    const path = (id) => `${key}/${part(id)}`;
    const save = (event) => {
      event.preventDefault();
      const called = name.input.value.trim();
      const id = key === "rooms" ? item.id ?? crypto.randomUUID().slice(0, 8) : called;
      send(async () => {
        const isMoved = key !== "rooms" && !isNew && item.name !== called;
        isFresh = isNew || isMoved;
        const wanted = isFresh ? { "If-None-Match": "*" } : condition;
        await ask("PUT", path(id), { ...body(), name: called }, 20, wanted);
        isFresh = false;
        if (isMoved) await ask("DELETE", path(item.name), undefined, 20, condition);
      }, t("{0} is kept", called));
    };
    const remove = async () => {
      if (!(await confirm(t("Delete {0}?", called(item.name)), null, t("Delete")))) return;
      const work = () => ask("DELETE", path(item.id ?? item.name), undefined, 20, condition);
      send(work, t("{0} is deleted", called(item.name)));
    };
    const dialog = show(".edit", t(isNew ? fresh : change),
      make("form", { onsubmit: save }, name.node, ...fields.filter(Boolean).map((each) => each.node),
        authors && make("p.words", { dir: "auto" }, authors), fault,
        make("div.buttons",
          isNew ? null : make("button.quiet", { type: "button", onclick: remove }, t("Delete")),
          make("button", { type: "button", onclick: () => dialog.close() }, t("Cancel")),
          make("button.primary", t("Save")))));
  }
}

class ArrangeRow extends Row {
  constructor(view, key) {
    const change = button(t("Change"), () => view.edit(key, this.item));
    super(kinds[key].drawing, change);
    [this.key, this.change] = [key, change];
  }
  update(item) {
    this.item = item;
    say(this.name, item.name);
    say(this.words, kinds[this.key].words(item).filter(Boolean).join(" · "));
    set(this.change, "aria-label", t("Change {0}", item.name));
  }
}
