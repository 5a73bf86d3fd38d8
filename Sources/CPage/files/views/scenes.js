// What scenes would change, and the values that they set.

import { button, called, make, say, set, show } from "./dom.js";
import { list } from "./hub.js";
import { t } from "./text.js";

// What it would change now: {appliance, activator, state}.
export function changesOf(house, scene) {
  return list(scene.states).flatMap(({ device, activator: id, state }) => {
    const appliance = house.appliances.get(String(device));
    const activator = appliance?.activators.find((each) => each.id === String(id));
    const isSo = activator && (typeof state === "number" ? Math.abs(activator.state - state) < 0.01 : activator.state === state);
    return activator && !isSo ? [{ appliance, activator, state }] : [];
  });
}

const label = (appliance, activator) => (activator === appliance.main || appliance.activators.length === 1
  ? called(appliance.name) : `${called(appliance.name)}, ${called(activator.name)}`);

// Every scene with what it would change, and a button.
export function showScenes(view, house, scenes) {
  const rows = scenes.map((scene) => {
    const changes = changesOf(house, scene);
    const gone = list(scene.states).filter(({ device }) => !house.appliances.has(String(device))).length;
    const lines = changes.map(({ appliance, activator, state }) => make("li", { dir: "auto" },
      `${label(appliance, activator)}: ${appliance.word(activator)} → ${appliance.word(activator, state)}`));
    const run = button(t("Run"), async () => {
      set(run, "disabled", true);
      say(run, t("Running …"));
      await view.run(scene);
      dialog.close();
    }, "primary");
    set(run, "aria-label", t("Run {0}", scene.name));
    return make("li.item", make("div.title", make("p.name", { dir: "auto" }, scene.name),
      lines.length > 0 ? make("ul.words.changes", ...lines) : make("p.words", t("Everything is as it says.")),
      gone > 0 ? make("p.words", t("{0} of its appliances are gone.", gone)) : null), make("div.buttons", run));
  });
  const dialog = show(".wide", t("What the scenes would change"), make("ul.list", ...rows),
    make("div.buttons", button(t("Close"), () => dialog.close())));
}

// The fields of a scene's form: which appliances, and to what they are set. `before`: the states that are kept.
export function sceneFields(house, before) {
  const rows = house.filter((each) => each.activators.some((one) => one.isSwitch || one.isLevel)).map((appliance) => {
    const kept = before.filter((each) => String(each.device) === appliance.id);
    const box = make("input", { type: "checkbox", value: appliance.id });
    box.checked = kept.length > 0;
    const parts = appliance.activators.filter((each) => each.isSwitch || each.isLevel)
      .map((activator) => valueField(appliance, activator, kept));
    const values = make("div.values", ...parts.map((each) => each.node));
    const appear = () => set(values, "hidden", !box.checked);
    box.addEventListener("change", appear);
    appear();
    return {
      isChosen: box.checked, node: make("div.thing", make("label", box, make("span", { dir: "auto" }, appliance.name)), values),
      states: () => (box.checked ? parts.flatMap((each) => each.states()) : []), retake: () => parts.forEach((each) => each.retake()),
    };
  });
  // What it sets already stands first.
  rows.sort((one, other) => other.isChosen - one.isChosen);
  const away = before.filter((each) => !house.some((one) => one.id === String(each.device)));
  const retake = button(t("Take all as they are now"), () => rows.forEach((each) => each.retake()));
  retake.type = "button";
  return {
    node: make("fieldset.checks", make("legend", t("It sets")), ...rows.map((each) => each.node)),
    retake: { node: retake },
    // What is away stays in it.
    states: () => [...rows.flatMap((each) => each.states()), ...away],
  };
}

function valueField(appliance, activator, kept) {
  const name = `${called(appliance.name)}: ${called(activator.name)}`;
  const known = kept.find((each) => String(each.activator) === activator.id);
  const state = (value) => [{ device: appliance.id, activator: activator.id, state: value, name }];
  const leave = ["leave", t("stays as it is")];
  if (activator.isSwitch) {
    const input = make("select", { "aria-label": name }, ...[
      ["true", appliance.word(activator, true)], ["false", appliance.word(activator, false)], leave,
    ].map(([value, text]) => make("option", { value }, text)));
    input.value = kept.length > 0 && !known ? "leave" : String(known?.state ?? activator.state);
    return {
      node: make("label.row", make("span.label", { dir: "auto" }, activator.name), input),
      states: () => (input.value === "leave" ? [] : state(input.value === "true")),
      retake: () => { input.value = String(activator.state); },
    };
  }
  const { scale } = activator;
  const box = make("input", { type: "checkbox", "aria-label": t("Set {0}", name) });
  const input = make("input", { type: "range", min: scale.from, max: scale.to, step: scale.step, "aria-label": name });
  const value = make("span.value", { "aria-hidden": "true" });
  const exact = { level: null };
  const paint = () => {
    const text = scale.say(Number(input.value));
    say(value, text);
    set(input, "aria-valuetext", text);
    set(input, "disabled", !box.checked);
    input.style.setProperty("--level", `${scale.level(Number(input.value)) * 100}%`);
  };
  const take = (level) => {
    exact.level = level;
    input.value = scale.isPercent ? Math.round(level * 100) : scale.value(level);
    paint();
  };
  box.checked = known !== undefined || kept.length === 0;
  input.addEventListener("input", () => { exact.level = null; paint(); });
  box.addEventListener("change", paint);
  take(typeof known?.state === "number" ? known.state : activator.state);
  return {
    node: make("div.row.level", make("label.label", box, " ", make("span", { dir: "auto" }, activator.name)), value, input),
    states: () => (box.checked ? state(exact.level ?? scale.level(Number(input.value))) : []),
    retake: () => { box.checked = true; take(activator.state); },
  };
}
