// Which house this is, who one is here, what one may do, and how one leaves: in one place, and at the first visit.

import { forgetAll, forgetHouse, isPinning } from "./app.js";
import { button, called, confirm, make, sentence, show, toast } from "./dom.js";
import { ask } from "./hub.js";
import { showPush } from "./push.js";
import { keep, kept, languages, m, t } from "./text.js";

const roleNames = { owner: m("Owner"), member: m("Member"), guest: m("Guest") };
const abilities = [
  ["look", m("see how everything stands")], ["set", m("switch lights, blinds and heating, and run scenes")],
  ["open", m("open and unlock")], ["change", m("add, rename and remove appliances")],
  ["arrange", m("arrange rooms and scenes, acknowledge alarms")], ["administer", m("let others in, and make rules")],
];

function choice(label, options, value, act) {
  const input = make("select", ...Object.entries(options).map(([key, name]) => make("option", { value: key }, t(name))));
  input.value = value ?? "";
  input.addEventListener("change", () => act(input.value));
  return make("label.field", label, input);
}

// What only this browser keeps.
async function reset() {
  for (const key of ["language", "degrees", "by", "sound", "met"]) keep(key, "");
  await forgetHouse();
  location.reload();
}

async function leave(app) {
  const isMeant = await confirm(t("Leave {0}?", called(app.hub)),
    t("This browser is let in no more, at once. Only a new code lets it in again."), t("Leave"));
  if (!isMeant) return;
  try {
    await ask("DELETE", "device");
    await forgetAll();
    reset();
  } catch (error) {
    toast(sentence(error.message), "fault");
  }
}

export function about(app, isFirst = false) {
  const may = abilities.filter(([word]) => app.may.has(word)).map(([, text]) => t(text));
  const not = abilities.filter(([word]) => !app.may.has(word)).map(([, text]) => t(text));
  const set = (key) => (value) => { keep(key, value); location.reload(); };
  const facts = [
    [t("House"), app.hub], [t("Its fingerprint"), app.hubID], [t("You are"), `${app.device?.name ?? ""} · ${t(roleNames[app.role] ?? app.role)}`],
    [t("Your fingerprint"), app.device?.device],
    [t("This browser"), app.isChecked && isPinning ? t("warns when another certificate answers here than now") : app.isChecked ? t("checks at each visit that it is the hub that answers")
      : app.isChecked === false ? t("cannot check yet that it is the hub that answers") : null], [t("Version"), app.device?.version],
  ].filter(([, value]) => typeof value === "string" && value !== "");
  const push = make("div.choices");
  if (!isFirst) showPush(app, push);
  const dialog = show(".wide", isFirst ? t("Welcome to {0}", called(app.hub)) : called(app.hub),
    make("dl.facts", ...facts.map(([word, value]) => make("div", make("dt", word), make("dd", { dir: "auto" }, value)))),
    make("p", make("b", t("You may:")), ` ${may.join("; ")}.`),
    app.isChecked === false || isPinning ? make("p.words", make("a", { href: "/hubpair/trust" }, t("Make this browser check the hub"))) : null,
    not.length > 0 ? make("p.words", `${t("Others may:")} ${not.join("; ")}.`) : null,
    isFirst ? make("p.words", t("All of this is behind the name of the house, at the top.")) : make("div.choices",
      choice(t("Language"), languages, kept("language"), set("language")),
      choice(t("Temperatures"), { "": m("As the house says"), C: m("Celsius"), F: m("Fahrenheit") }, kept("degrees"), set("degrees"))),
    push,
    isFirst ? null : make("p.words", t("Who set up this house helps with it; “hubpair doctor” on the hub says what is wrong. hubpair is free software of its developers (Apache License 2.0): report its faults where it came from, and those that let somebody in as its SECURITY.md says, in private.")),
    isFirst ? null : make("div.buttons.start", button(t("Forget what this browser keeps"), reset), button(t("Leave this house"), () => leave(app), "danger")),
    make("div.buttons", button(isFirst ? t("Begin") : t("Close"), () => dialog.close(), isFirst ? "primary" : "")));
  // It is read from its beginning.
  const heading = dialog.querySelector("h2");
  heading.tabIndex = -1;
  heading.focus();
  keep("met", app.device?.device ?? "1");
  return dialog;
}
