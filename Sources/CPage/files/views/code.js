// A new code, drawn, with its time running out; and what is printed.

import { button, called, make, say, set, show, span, toast } from "./dom.js";
import { list } from "./hub.js";
import { m, n, t } from "./text.js";

export const roles = { owner: m("Owner"), member: m("Member"), guest: m("Guest") };
export const roleHelp = t("Owners do everything. Members switch, arrange and acknowledge. Guests look and switch.");

export function roleChoice(label, value) {
  const choice = make("select", { "aria-label": label },
    ...Object.entries(roles).map(([role, name]) => make("option", { value: role }, t(name))));
  choice.value = value;
  return choice;
}

// How long a guest's device may come in; the code itself is good for less.
const stays = { 86400: m("1 day"), 172800: m("2 days"), 604800: m("1 week"), 2419200: m("4 weeks"), "": m("ever") };

const lifetimes = { 600: m("10 minutes"), 3600: m("1 hour"), 86400: m("1 day"), 604800: m("1 week") };

export class CodeMaker {
  #views; #dialog = null; #ticket = null; #timer = null;

  constructor(views) {
    this.#views = views;
    this.role = roleChoice(t("Role of the new device"), "member");
    this.lifetime = make("select", { "aria-label": t("How long the code is good") },
      ...Object.entries(lifetimes).map(([seconds, name]) => make("option", { value: seconds }, t(name))));
    this.stay = make("select", { "aria-label": t("How long the guest may come in") },
      ...Object.entries(stays).map(([seconds, name]) => make("option", { value: seconds }, t(name))));
    this.stay.value = "172800";
    const stay = make("label", `${t("Stays for")} `, this.stay);
    const showStay = () => set(stay, "hidden", this.role.value !== "guest");
    this.role.addEventListener("change", showStay);
    showStay();
    this.node = make("section.part", make("h2", t("Let somebody in")),
      make("div.item.maker",
        make("div.choices",
          make("label", `${t("As")} `, this.role), stay,
          make("label", `${t("Good for")} `, this.lifetime)),
        make("div.buttons",
          button(t("Show a code"), () => this.#show(), "primary"),
          button(t("Print a sheet of 24"), () => this.#print(
            { kind: "once", ...this.#guest, expires: this.#seconds, sheet: "3x8" }, "sheet of codes")),
          button(t("Print a label"), () => this.#print({ kind: "label", size: "62x29mm" }, "label"))),
        make("p.none",
          t("A code lets in one device by itself. A label stays on the hub: with it devices ask, and you approve them here. A new label replaces the old one."))));
  }

  get #seconds() { return Number(this.lifetime.value); }

  get #guest() {
    const role = this.role.value;
    return role !== "guest" ? { role } : { role, stay: this.stay.value === "" ? null : Number(this.stay.value) };
  }

  async #make(wish) {
    const answer = await this.#views.act("POST", "codes", wish);
    return list(answer, "codes").length > 0 ? answer : null;
  }

  async #show() {
    const lifetime = this.#seconds;
    const answer = await this.#make({ kind: "once", ...this.#guest, expires: lifetime, formats: ["svg"] });
    if (!answer) return;
    const code = answer.codes[0];
    this.#ticket = code.ticket;
    // The time that is left is the hub's: the clocks of both may differ.
    const left = Math.max(0, new Date(code.expires) - new Date(answer.time ?? Date.now())) || lifetime * 1000;
    const end = performance.now() + left;
    // As a picture: whatever is in it, an image runs nothing.
    const picture = typeof answer.files?.svg === "string"
      ? make("img.code", {
        alt: t("The code as a picture"), src: `data:image/svg+xml,${encodeURIComponent(answer.files.svg)}`,
      }) : null;
    const time = make("p.time", { role: "timer" });
    const bar = make("progress", { max: left, value: left, "aria-hidden": "true" });
    const done = make("p.done", { role: "status" });
    const dialog = show(".show", t("Scan this with the new device"), picture,
      make("p.words", t("or type there, after “hubpair pair -”:")),
      make("p.typed", typeof code.typed === "string" ? code.typed : ""),
      bar, time, done,
      make("form", { method: "dialog", class: "buttons" },
        make("button", { type: "button", onclick: () => { dialog.close(); this.#show(); } }, t("New code")),
        make("button.primary", t("Done"))));
    const tick = () => {
      const rest = end - performance.now();
      bar.value = Math.max(0, rest);
      say(time, rest > 0 ? t("{0} left", span(rest)) : t("The time is over."));
      set(dialog, "data-over", rest <= 0);
    };
    const timer = setInterval(tick, 1000);
    const look = setInterval(() => this.#views.load().catch(() => {}), 2000);
    dialog.addEventListener("close", () => {
      clearInterval(timer);
      clearInterval(look);
      this.#dialog = null;
    });
    tick();
    this.#dialog = { dialog, done };
  }

  watch(codes) {
    const code = codes.find((each) => each.ticket === this.#ticket);
    if (!this.#dialog || code?.status !== "used") return;
    const names = list(code.uses).map((use) => called(use.name)).join(", ");
    say(this.#dialog.done, t("{0} is let in.", names === "" ? t("A device") : names));
    set(this.#dialog.dialog, "data-used", true);
  }

  async #print(wish, word) {
    const answer = await this.#make({ ...wish, formats: ["pdf"] });
    if (!answer) return;
    if (typeof answer.files?.pdf !== "string") return toast(t("The hub cannot draw PDF: it lacks Cairo."), "fault");
    const bytes = Uint8Array.from(atob(answer.files.pdf), (letter) => letter.charCodeAt(0));
    const address = URL.createObjectURL(new Blob([bytes], { type: "application/pdf" }));
    make("a", { href: address, download: `hubpair ${word}.pdf` }).click();
    setTimeout(() => URL.revokeObjectURL(address), 60000);
    toast(t("{0} in “{1}”", n(answer.codes.length, "code", "codes"), `hubpair ${word}.pdf`));
  }
}
