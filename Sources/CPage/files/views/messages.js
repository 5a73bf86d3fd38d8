// What the house has told: alarms that stay open, the hub's own trouble, and what should be known.

import { button, called, confirm, icon, KeyedList, make, quoting, Row, say, sentence, set, show, toast, when } from "./dom.js";
import { ask, list, own } from "./hub.js";
import { keep, kept, m, n, t, told } from "./text.js";

// So many of the last ones are shown; the hub keeps more.
const shown = 200;
const drawings = { alarm: "alarm", alert: "alert", notification: "bell" };
const names = { alarm: m("Alarm"), alert: m("Alert"), notification: m("Notification") };
const filters = {
  all: [m("All"), () => true], unread: [m("Unread"), (each) => each.read === false], alarm: [m("Alarms"), (each) => each.kind === "alarm"],
  alert: [m("Alerts"), (each) => each.kind === "alert"], notification: [m("Notifications"), (each) => each.kind === "notification"],
};

export class MessagesView {
  #app; #all = new Map(); #filter = "all";
  // Open alarms that the hub has and this page does not.
  #beyond = 0;
  // Null until the hub has said whether it has any.
  isThere = null;

  constructor(app) {
    this.#app = app;
    this.readAll = button(t("Mark all as read"), () => this.#readAll());
    this.acknowledgeAll = button(t("Acknowledge all"), () => this.#acknowledgeAll());
    this.empty = make("div.empty", { hidden: true },
      make("h2", t("Nothing has been told")), make("p", t("Alarms, trouble and news of this house appear here.")));
    this.items = make("ul.list");
    this.list = new KeyedList(this.items, (message) => new MessageRow(this, app, message));
    this.chips = Object.entries(filters).map(([filter, [word]]) => make("button.chip", {
      "data-filter": filter, onclick: () => { this.#filter = filter; this.show(); },
    }, t(word)));
    const sound = make("input", { type: "checkbox", onchange: () => {
      keep("sound", sound.checked ? "1" : "");
      // A browser lets a page sound once somebody has touched it.
      if (sound.checked) import("./front.js").then(({ beep }) => beep());
    } });
    sound.checked = kept("sound") === "1";
    this.sound = make("label.sound", sound, make("span", t("Sound at an alarm"),
      make("span.words", ` ${t("Browsers let a page sound once you have touched it.")}`)));
    this.node = make("section.view",
      make("div.headline", make("h1", t("Messages")), make("div.buttons", this.acknowledgeAll, this.readAll)),
      make("div.tools", make("div.chips", { role: "group", "aria-label": t("Show") }, ...this.chips), this.sound),
      this.empty, this.items);
  }

  async load() {
    let last = Math.max(0, ...this.#all.keys());
    if (last === 0) {
      // The alarms that are open, however old; then the last of all messages.
      const open = await own(`messages?open=1&limit=${shown}`);
      this.isThere = open !== null;
      for (const message of list(open, "messages")) this.#keep(message);
      last = Math.max(0, (open?.newest ?? 0) - shown);
    }
    if (!this.isThere) return;
    const latest = await own(`messages?after=${last}&limit=${shown}`);
    for (const message of list(latest, "messages")) this.#keep(message);
    this.#beyond = Math.max(0, (latest?.open ?? 0) - this.open.length);
    this.show();
  }

  take(message, type) {
    // The hub has started a new list.
    if (type === "reset") {
      this.#all.clear();
      return this.load().catch(() => this.#app.refresh());
    }
    this.#keep(message);
    this.show();
    this.#app.show();
    // What people do, or a scene has done: which scene it is now, and what is armed.
    if (type === "message" && message?.kind === "notification" && !message.rule) this.#app.refreshSoon();
  }

  #keep(message) {
    if (!Number.isSafeInteger(message?.id)) return;
    // A stream does not say whether this device has read it.
    this.#all.set(message.id, { read: this.#all.get(message.id)?.read ?? false, ...message });
    while (this.#all.size > 2 * shown) this.#all.delete(Math.min(...this.#all.keys()));
  }

  // What it would be told if it began anew, for a time without the hub.
  get answers() {
    const messages = [...this.#all.values()].slice(-shown);
    const answer = { messages, newest: 0, open: this.openCount };
    return this.isThere ? [[`messages?open=1&limit=${shown}`, answer], [`messages?after=0&limit=${shown}`, answer]] : [];
  }

  get(id) { return this.#all.get(id); }
  // What goes well by itself, and the hub's own trouble, call nobody.
  get calling() { return this.unread.filter((each) => !each.quiet); }
  get openCount() { return this.open.length + this.#beyond; }
  get unread() { return [...this.#all.values()].filter((each) => each.read === false); }
  get open() {
    return [...this.#all.values()].filter((each) => each.kind === "alarm" && !each.acknowledged)
      .sort((one, other) => one.id - other.id);
  }

  show() {
    this.#app.front();
    // Two hundred messages take their time, and nobody sees them.
    if (this.node.hidden) return;
    const [, passes] = filters[this.#filter];
    const open = new Set(this.open);
    const rest = [...this.#all.values()].filter((each) => !open.has(each)).sort((one, other) => other.id - one.id);
    const found = [...open, ...rest].filter(passes);
    this.list.show(found.slice(0, shown), (message) => message.id);
    for (const chip of this.chips) set(chip, "aria-pressed", String(chip.dataset.filter === this.#filter));
    const isNone = this.#all.size === 0;
    say(this.empty.firstElementChild, isNone ? t("Nothing has been told") : t("There is none of these"));
    set(this.empty.lastElementChild, "hidden", !isNone);
    set(this.empty, "hidden", found.length > 0);
    set(this.readAll, "hidden", this.unread.length === 0);
    set(this.acknowledgeAll, "hidden", this.openCount < 2 || !this.#app.may.has("arrange"));
  }

  async acknowledge(message) {
    await this.#send(message, "acknowledge");
    if (message.read === false) await this.read(message);
  }
  async read(message) {
    if (await this.#send(message, "read")) this.take({ ...this.#all.get(message.id), read: true });
  }

  // Those that came after what is shown stay open.
  async #acknowledgeAll() {
    const last = Math.max(0, ...this.#all.keys());
    const question = t("Acknowledge {0}?", n(this.openCount, "alarm", "alarms"));
    if (!(await confirm(question, t("For everybody in the house."), t("Acknowledge"), false))) return;
    try {
      await ask("POST", "messages/acknowledge", { upTo: last });
    } catch (error) {
      toast(sentence(error.message), "fault");
      return;
    }
    const acknowledged = { name: this.#app.device?.name, at: new Date().toISOString() };
    for (const message of this.open) if (message.id <= last) this.#keep({ ...message, acknowledged });
    this.#beyond = 0;
    this.show();
    this.#app.refresh();
  }

  async #readAll() {
    const last = Math.max(0, ...this.#all.keys());
    if (!(await this.#send({ id: last }, "read?all=1"))) return;
    for (const message of this.#all.values()) this.#keep({ ...message, read: true });
    this.show();
    this.#app.show();
  }

  // True if it is done.
  async #send(message, verb) {
    try {
      const answer = await ask("POST", `messages/${message.id}/${verb}`);
      if (answer?.id === message.id) this.take(answer);
      return true;
    } catch (error) {
      toast(sentence(error.message), "fault");
      return false;
    }
  }

  // What the camera of its appliance saw; null if it has none.
  async pictureOf(message) {
    const app = this.#app, device = String(message.device);
    if (message.kind !== "alarm" || !app.home.hasPicture(device)) return null;
    const { Picture } = await import("./picture.js");
    return Picture.at(message, app.house.appliances.get(device)?.name ?? device);
  }

  // Everything that is known of a message.
  async details(id) {
    const app = this.#app, message = this.#all.get(id);
    if (!message) return;
    const appliance = app.house.appliances.get(String(message.device));
    const activator = appliance?.activators.find((each) => each.id === String(message.activator));
    const state = (value) => (value === undefined || value === null ? null : activator ? appliance.word(activator, value) : JSON.stringify(value));
    const by = message.acknowledged;
    const lines = [
      [t("Kind"), t(names[message.kind] ?? m("Message"))], [t("When"), when(message.time)],
      [t("How often"), message.count > 1 ? t("{0} times, last {1}", message.count, when(message.last)) : null],
      [t("Room"), app.home.roomOf(message.device)], [t("Appliance"), appliance?.name ?? message.device],
      [t("What|of an appliance"), activator?.name], [t("State before"), state(message.before)], [t("State then"), state(message.state)],
      [t("State now"), activator ? appliance.word(activator) : null], [t("Rule"), message.rule],
      [t("Acknowledged"), by ? [by.name, when(by.at)].filter(Boolean).join(" · ") : message.kind === "alarm" ? t("by nobody yet") : null],
    ].filter(([, value]) => typeof value === "string" && value !== "");
    const buttons = [
      appliance ? button(t("History"), async () => {
        const { showHistory } = await import("./history.js");
        showHistory(app, appliance);
      }) : null,
      button(t("Send on"), () => this.#sendOn(message, lines)),
      message.read === false ? button(t("Mark as read"), () => { dialog.close(); this.read(message); }) : null,
      message.kind === "alarm" && !by && app.may.has("arrange")
        ? button(t("Acknowledge"), () => { dialog.close(); this.acknowledge(message); }, "primary") : null,
      button(t("Close"), () => dialog.close()),
    ];
    const picture = await this.pictureOf(message).catch(() => null);
    const dialog = show(".wide", quoting(told(String(message.text ?? ""))),
      picture?.node ?? null,
      make("dl.facts", ...lines.map(([word, value]) => make("div", make("dt", word), make("dd", { dir: "auto" }, value)))),
      make("div.buttons", ...buttons));
    picture?.in(dialog);
  }

  // By the system's own sheet, or by mail.
  async #sendOn(message, lines) {
    const text = [message.text, ...lines.map(([word, value]) => `${word}: ${value}`)].join("\n");
    if (navigator.share) {
      try {
        return await navigator.share({ title: String(message.text), text });
      } catch (error) {
        if (error.name === "AbortError") return;
      }
    }
    const subject = encodeURIComponent(String(message.text).slice(0, 200));
    make("a", { href: `mailto:?subject=${subject}&body=${encodeURIComponent(text)}` }).click();
  }
}

class MessageRow extends Row {
  #message = null;
  constructor(view, app, message) {
    const acknowledge = button(t("Acknowledge"), () => view.acknowledge(this.#message), "primary");
    const read = button(t("Mark as read"), () => view.read(this.#message));
    const more = make("button.quiet", { "aria-haspopup": "dialog", onclick: () => view.details(this.#message.id) }, icon("more"));
    super(drawings[message.kind] ?? "bell", acknowledge, read, more);
    [this.app, this.acknowledge, this.read, this.more] = [app, acknowledge, read, more];
  }
  update(message) {
    this.#message = message;
    const isOpen = message.kind === "alarm" && !message.acknowledged;
    const text = typeof message.text === "string" ? quoting(told(message.text)) : "";
    say(this.name, text);
    const by = message.acknowledged?.name;
    const end = !message.acknowledged ? ""
      : `${by ? t("acknowledged by {0}", called(by)) : t("acknowledged")} ${when(message.acknowledged.at)}`;
    const times = message.count > 1 ? t("{0} times, last {1}", message.count, when(message.last)) : "";
    const room = this.app.home.roomOf(message.device) ?? "";
    say(this.words, [t(names[message.kind] ?? m("Message")), when(message.time), room, times, end].filter((each) => each !== "").join(" · "));
    set(this.more, "aria-label", t("Details: {0}", text));
    set(this.node, "data-kind", isOpen ? "alarm" : message.kind === "alert" ? "alert" : "note");
    set(this.node, "data-unread", message.read === false);
    set(this.read, "hidden", message.read !== false || isOpen);
    set(this.acknowledge, "hidden", !isOpen || !this.app.may.has("arrange"));
  }
}
