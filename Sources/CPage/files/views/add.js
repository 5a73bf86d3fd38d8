// An appliance is added, renamed and removed, as “hubpair home add”, “rename” and “remove” do.

import { button, called, confirm, make, say, sentence, set, show, toast } from "./dom.js";
import { ask, part } from "./hub.js";
import { t } from "./text.js";

// As the command line sees it (InfoField): what a field is called tells what it takes.
const wordsOf = (field) => field.toLowerCase().split(/[_\W]+/);
const isPort = (field) => wordsOf(field).includes("port");
const mayBeEmpty = (text) => /left empty|leave (it )?empty|(may|can) be empty|left blank|leave blank|optional/i.test(text);

const field = (label, input, help) => make("label.field", make("b", label), help ? make("span", help) : null, input);

function taken(app, name, but = null) {
  const wanted = name.toLowerCase();
  const other = [...app.house.appliances.values()].find((each) => each.id !== but && each.name.toLowerCase() === wanted);
  return other ? t("An appliance is called {0} already.", called(other.name)) : null;
}

// A dialog with steps: each says what it needs, and what comes next.
class Steps {
  constructor(title) {
    this.fault = make("p.warning", { role: "alert" });
    this.fields = make("div.fields");
    this.next = make("button.primary", t("Next"));
    this.back = make("button", { type: "button", hidden: true }, t("Back"));
    const form = make("form", { onsubmit: (event) => { event.preventDefault(); this.#go(); } },
      this.fields, this.fault, make("div.buttons", button(t("Cancel"), (event) => { event.preventDefault(); this.dialog.close(); }),
        this.back, this.next));
    form.querySelector(".buttons button").type = "button";
    this.dialog = show(".edit", title, form);
  }
  async #go() {
    say(this.fault, "");
    set(this.next, "disabled", true);
    try {
      await this.act();
    } catch (error) {
      say(this.fault, sentence(error.message));
    } finally {
      set(this.next, "disabled", null);
    }
  }
  // Shows fields; act() is done with them.
  show(nodes, word, act) {
    this.act = act;
    say(this.next, word);
    this.fields.replaceChildren(...nodes);
    this.fields.querySelector("input, select")?.focus();
  }
}

const options = (all) => all.filter((each) => typeof each === "string").map((each) => make("option", { value: each }, each));

export async function add(app) {
  const steps = new Steps(t("Add an appliance"));
  const read = async (path) => {
    const answer = await ask("GET", path);
    if (!Array.isArray(answer)) throw new Error(t("The server of the house answers with something else."));
    if (answer.length === 0) throw new Error(t("The server of the house offers none."));
    return answer;
  };
  const chooseMaker = async () => {
    const maker = make("select", ...options(await read("/plugins/")));
    steps.show([field(t("Who made it"), maker)], t("Next"), () => chooseKind(maker.value));
  };
  const chooseKind = async (maker) => {
    const kind = make("select", ...options(await read(`/plugins/${part(maker)}/`)));
    steps.show([field(t("What it is"), kind, maker)], t("Next"), () => askFor(maker, kind.value));
  };
  const askFor = async (maker, kind) => {
    const answer = await ask("GET", `/plugins/${part(maker)}/plugins/${part(kind)}`);
    const wanted = Object.entries(answer?.required_info ?? {}).filter(([, text]) => typeof text === "string")
      .sort(([one], [other]) => (other === "name") - (one === "name") || one.localeCompare(other));
    const inputs = wanted.map(([name, explanation]) => [name, make("input", {
      autocomplete: "off", maxlength: name === "name" ? 63 : 1024, required: name === "name" || !mayBeEmpty(explanation),
      ...(isPort(name) && { type: "number", inputmode: "numeric", min: 1, max: 65535, step: 1 }),
    })]);
    steps.show(inputs.map(([name, input], index) => field(name, input, wanted[index][1])), t("Add"), async () => {
      const info = Object.fromEntries(inputs.map(([name, input]) => [name, input.value.trim()]));
      const fault = info.name && taken(app, info.name);
      if (fault) throw new Error(fault);
      await ask("POST", "/devices/", { collection: maker, plugin_name: kind, required_info: info }, 60);
      steps.dialog.close();
      toast(t("{0} is added", called(info.name ?? kind)));
      app.refresh();
    });
  };
  steps.show([make("p.words", { role: "status" }, t("Asking the hub …"))], t("Next"), chooseMaker);
  await chooseMaker().catch((error) => {
    steps.fields.replaceChildren();
    say(steps.fault, sentence(error.message));
    say(steps.next, t("Try again"));
  });
}

export function rename(app, appliance) {
  const steps = new Steps(t("Rename {0}", called(appliance.name)));
  const name = make("input", { required: true, maxlength: 63, autocomplete: "off" });
  name.value = appliance.name;
  steps.show([field(t("Name"), name)], t("Save"), async () => {
    const wanted = name.value.trim();
    const fault = taken(app, wanted, appliance.id);
    if (fault) throw new Error(fault);
    await ask("PUT", `/devices/${part(appliance.id)}`, { name: wanted });
    steps.dialog.close();
    toast(t("{0} is called {1} now", called(appliance.name), called(wanted)));
    await app.house.load().catch(() => app.refresh());
  });
  name.select();
}

// Where the picture of an appliance comes from; without an address it has none.
export function askPicture(app, appliance) {
  const steps = new Steps(t("Camera of {0}", called(appliance.name)));
  // Put together here: no file of the page names an address outside.
  const placeholder = ["http:", "", "192.168.1.30", "snapshot.jpg"].join("/");
  const url = make("input", { type: "text", inputmode: "url", maxlength: 1024, autocomplete: "off", spellcheck: "false", placeholder });
  url.value = app.home.pictures?.get(appliance.id) ?? "";
  const words = t("The address of one picture in this home’s network, or a path of the server behind the hub. Members see it, guests do not.");
  steps.show([field(t("Address of the picture"), url, words)], t("Save"), async () => {
    const wanted = url.value.trim(), path = `pictures/${part(appliance.id)}`;
    if (wanted !== "") await ask("PUT", path, { url: wanted });
    else if (app.home.hasPicture(appliance.id)) await ask("DELETE", path);
    steps.dialog.close();
    await app.home.load();
  });
  url.select();
}

// Resolves to true if it is gone.
export async function remove(app, appliance) {
  const question = t("Remove {0}?", called(appliance.name));
  if (!(await confirm(question, t("The hub forgets it; rules and scenes leave it out."), t("Remove")))) return false;
  try {
    await ask("DELETE", `/devices/${part(appliance.id)}`);
  } catch (error) {
    toast(`${called(appliance.name)}: ${sentence(error.message)}`, "fault");
    return false;
  }
  toast(t("{0} is removed", called(appliance.name)));
  await app.house.load().catch(() => app.refresh());
  return true;
}
