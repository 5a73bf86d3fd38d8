// Everything about one appliance: all that can be set on it, how it stands, and what can be done with it.

import { stripOf } from "./colours.js";
import { LevelRow, setState, SwitchRow, WordRow } from "./controls.js";
import { icon, make, say, sentence, set, show, toast } from "./dom.js";
import { t } from "./text.js";
import { TimerRow } from "./timers.js";

let number = 0;

export class Sheet {
  #app; #id; #rows = []; #form = "";

  constructor(app, id) {
    [this.#app, this.#id] = [app, id];
    this.words = make("p.words", { role: "status" });
    this.rows = make("div.rows");
    const close = make("button.quiet.close", { "aria-label": t("Close"), onclick: () => this.dialog.close() }, icon("close"));
    this.star = make("button.quiet.star", { onclick: () => this.#favour() }, icon("star"));
    this.timer = new TimerRow(app, () => this.appliance);
    this.more = make("div.buttons.more");
    this.dialog = show(".sheet", this.appliance.name, this.words, this.rows, this.timer.node, this.more, this.star, close);
    this.#offer();
    this.heading = this.dialog.querySelector("h2");
    if (app.home.hasPicture(id)) this.#look();
    const watch = () => this.show();
    app.house.watchers.add(watch);
    this.dialog.addEventListener("close", () => app.house.watchers.delete(watch));
    // A tap beside it closes it.
    this.dialog.addEventListener("click", (event) => { if (event.target === this.dialog) this.dialog.close(); });
    this.show();
  }

  get appliance() { return this.#app.house.appliances.get(this.#id); }

  show() {
    const { appliance } = this;
    if (!appliance) return this.dialog.close();
    say(this.heading, appliance.name);
    say(this.words, appliance.standing);
    set(this.dialog, "data-kind", appliance.kind);
    set(this.dialog, "data-on", appliance.isOn === true);
    const canBeSet = this.#app.house.canSet(appliance);
    // Rebuilt only when the appliance has other parts than before.
    const form = JSON.stringify([canBeSet, appliance.kind,
      appliance.activators.map((each) => [each.id, each.isSwitch, each.isLevel, each.name, each.unit])]);
    if (form !== this.#form) {
      this.#form = form;
      this.#rows = appliance.activators.map((each) => this.#row(each, canBeSet));
      this.rows.replaceChildren(...this.#rows.map((row) => row.node));
    }
    const { home } = this.#app;
    set(this.star, "hidden", home.preferences === null);
    set(this.star, "aria-pressed", String(home.favourites.includes(appliance.id)));
    set(this.star, "aria-label", t("Favourite"));
    this.timer.update(appliance, canBeSet);
    appliance.activators.forEach((each, index) => this.#rows[index].update(each, appliance));
  }

  async #favour() {
    const isFavourite = this.star.getAttribute("aria-pressed") === "true";
    try {
      await this.#app.home.favour(this.#id, !isFavourite);
    } catch (error) {
      toast(sentence(error.message), "fault");
    }
    this.show();
  }

  async #look() {
    const { Picture } = await import("./picture.js");
    if (this.appliance) this.words.after(Picture.of(this.appliance, this.#app.house).in(this.dialog).node);
  }

  // What leads further: to its history, and for who may, to its name and its end.
  #offer() {
    const leads = (word, act) => make("button", { onclick: act }, word);
    const app = this.#app;
    this.more.append(leads(t("History"), async () => {
      const { showHistory } = await import("./history.js");
      showHistory(app, this.appliance);
    }));
    if (app.may.has("administer") && app.home.pictures) {
      this.more.append(leads(t("Camera …"), async () => {
        const { askPicture } = await import("./add.js");
        askPicture(app, this.appliance);
      }));
    }
    if (!app.may.has("change")) return;
    this.more.append(leads(t("Rename"), async () => {
      const { rename } = await import("./add.js");
      rename(app, this.appliance);
    }), leads(t("Remove"), async () => {
      const { remove } = await import("./add.js");
      if (await remove(app, this.appliance)) this.dialog.close();
    }));
  }

  #row(activator, canBeSet) {
    const id = `part-${number += 1}`;
    const label = make("span.label", { id, dir: "auto" }, activator.name || t("State"));
    const act = (stateOf) => {
      const { appliance } = this;
      const now = appliance?.activators.find((each) => each.id === activator.id);
      if (!now) return;
      setState(this.#app.house, appliance, now, stateOf(now)).then((isDone) => isDone || this.show());
    };
    if (canBeSet && activator.isLevel) {
      const strip = stripOf(activator, this.appliance.kind);
      return new LevelRow(label, id, activator, strip, this.appliance.isGuarded, (level) => act(() => level));
    }
    if (canBeSet && activator.isSwitch) return new SwitchRow(label, id, () => act((now) => !now.state));
    return new WordRow(label);
  }
}
