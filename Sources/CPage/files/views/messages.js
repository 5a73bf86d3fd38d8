// What the house has told: alarms that stay open, the hub's own trouble, and what should be known.

import { button, called, confirm, count, KeyedList, make, quoting, Row, say, sentence, set, toast, when } from "./dom.js";
import { ask, list, own } from "./hub.js";

// So many of the last ones are shown; the hub keeps more.
const shown = 200;
const drawings = { alarm: "alarm", alert: "alert", notification: "bell" };
const names = { alarm: "Alarm", alert: "Alert", notification: "Notification" };

export class MessagesView {
  #app; #all = new Map();
  // Open alarms that the hub has and this page does not.
  #beyond = 0;
  // Null until the hub has said whether it has any.
  isThere = null;

  constructor(app) {
    this.#app = app;
    this.readAll = button("Mark all as read", () => this.#readAll());
    this.acknowledgeAll = button("Acknowledge all", () => this.#acknowledgeAll());
    this.empty = make("div.empty", { hidden: true },
      make("h2", "Nothing has been told"), make("p", "Alarms, trouble and news of this house appear here."));
    this.items = make("ul.list");
    this.list = new KeyedList(this.items, (message) => new MessageRow(this, app, message));
    this.node = make("section.view",
      make("div.headline", make("h1", "Messages"), make("div.buttons", this.acknowledgeAll, this.readAll)), this.empty, this.items);
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

  // What goes well by itself, and the hub's own trouble, call nobody.
  get calling() { return this.unread.filter((each) => !each.quiet); }
  get openCount() { return this.open.length + this.#beyond; }
  get unread() { return [...this.#all.values()].filter((each) => each.read === false); }
  get open() {
    return [...this.#all.values()].filter((each) => each.kind === "alarm" && !each.acknowledged)
      .sort((one, other) => one.id - other.id);
  }

  show() {
    const open = new Set(this.open);
    const rest = [...this.#all.values()].filter((each) => !open.has(each)).sort((one, other) => other.id - one.id);
    this.list.show([...open, ...rest].slice(0, shown), (message) => message.id);
    set(this.empty, "hidden", this.#all.size > 0);
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
    if (!(await confirm(`Acknowledge ${count(this.openCount, "alarm")}?`, "For everybody in the house.", "Acknowledge", false))) return;
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
}

class MessageRow extends Row {
  #message = null;
  constructor(view, app, message) {
    const acknowledge = button("Acknowledge", () => view.acknowledge(this.#message), "primary");
    const read = button("Mark as read", () => view.read(this.#message));
    super(drawings[message.kind] ?? "bell", acknowledge, read);
    [this.app, this.acknowledge, this.read] = [app, acknowledge, read];
  }
  update(message) {
    this.#message = message;
    const isOpen = message.kind === "alarm" && !message.acknowledged;
    say(this.name, typeof message.text === "string" ? quoting(message.text) : "");
    const by = message.acknowledged?.name;
    const end = message.acknowledged ? `acknowledged${by ? ` by ${called(by)}` : ""} ${when(message.acknowledged.at)}` : "";
    const times = message.count > 1 ? `${message.count} times, last ${when(message.last)}` : "";
    say(this.words, [names[message.kind] ?? "Message", when(message.time), times, end].filter((each) => each !== "").join(" · "));
    set(this.node, "data-kind", isOpen ? "alarm" : message.kind === "alert" ? "alert" : "note");
    set(this.node, "data-unread", message.read === false);
    set(this.read, "hidden", message.read !== false || isOpen);
    set(this.acknowledge, "hidden", !isOpen || !this.app.may.has("arrange"));
  }
}
