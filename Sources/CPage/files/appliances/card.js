// An appliance on the page: its icon, its name, how it stands, and one control. The rest is in its sheet.

import { called, clockAt, icon, make, say, set, toast } from "./dom.js";
import { Control } from "./controls.js";
import { t } from "./text.js";

let number = 0;

// "Switch off at 14:05".
function timerWord(appliance, timer) {
  const activator = appliance.activators.find((each) => each.id === timer.activator);
  return `${appliance.verb(activator, timer.state)} ${t("at {0}", clockAt(new Date(timer.due)))}`;
}

export class Card {
  #app; #house; #appliance = null; #form = ""; #drawing = ""; #control = null; #picture = null; #hasPicture = false;

  constructor(app) {
    [this.#app, this.#house] = [app, app.house];
    const id = `card-${number += 1}`;
    this.badge = make("span.badge");
    this.open = make("button.open", { id, dir: "auto", "aria-haspopup": "dialog", "aria-describedby": `${id}-words`, onclick: () => this.#show() });
    this.words = make("p.words", { id: `${id}-words` });
    this.head = make("div.head", this.badge, make("div.title", make("p.name", this.open), this.words));
    this.node = make("li.card", this.head);
  }

  update(appliance) {
    this.#appliance = appliance;
    const drawing = appliance.drawing === "lock" && appliance.isOpen ? "unlock" : appliance.drawing;
    if (drawing !== this.#drawing) {
      this.#drawing = drawing;
      this.badge.replaceChildren(icon(drawing));
    }
    say(this.open, appliance.name);
    const timer = this.#app.home.timerOf(appliance);
    say(this.words, timer ? `${appliance.standing} · ${timerWord(appliance, timer)}` : appliance.standing);
    set(this.node, "data-waiting", appliance.isWaiting);
    set(this.node, "aria-busy", appliance.isWaiting ? "true" : null);
    set(this.node, "data-kind", appliance.kind);
    set(this.node, "data-on", appliance.isOn === true);
    set(this.node, "data-open", appliance.isOpen);
    set(this.node, "data-sounding", appliance.isSounding);
    set(this.node, "data-fault", appliance.fault !== null);
    set(this.node, "data-moving", appliance.isMoving);
    const control = this.#house.canSet(appliance) ? appliance.control : null;
    // Rebuilt only when it is another one than before.
    const form = control ? `${control.form} ${control.activator.id} ${appliance.kind}` : "";
    if (form !== this.#form) {
      this.#form = form;
      const hadFocus = this.#control?.node.contains(document.activeElement);
      this.#control?.node.remove();
      this.#control = control && new Control(control.form, this.#house, () => this.#appliance, this.open.id);
      if (control) this.head.append(this.#control.node);
      if (hadFocus) this.open.focus();
    }
    this.#control?.update(appliance, control);
    const hasPicture = this.#app.home.hasPicture(appliance.id);
    if (hasPicture !== this.#hasPicture) this.#showPicture(hasPicture);
  }

  async #showPicture(hasPicture) {
    this.#hasPicture = hasPicture;
    this.#picture?.end();
    this.#picture = null;
    if (!hasPicture) return;
    const { Picture } = await import("./picture.js");
    if (!this.#hasPicture || this.#picture) return;
    this.#picture = Picture.of(this.#appliance, this.#house);
    this.node.append(this.#picture.node);
  }

  // What is needed only then comes only then.
  async #show() {
    try {
      const { Sheet } = await import("./sheet.js");
      new Sheet(this.#app, this.#appliance.id);
    } catch {
      toast(t("{0} cannot be shown now.", called(this.#appliance.name)), "fault");
    }
  }
}
