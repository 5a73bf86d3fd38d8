// What only owners see: who asks to be let in, devices, codes, the journal, and what the doctor says.

import { CodeMaker, roleChoice, roleHelp, roles } from "./code.js";
import { button, called, confirm, count, make, Part, Row, say, sentence, set, span, toast, when } from "./dom.js";
import { array, ask, list, own, part } from "./hub.js";

export class OwnerViews {
  #app; #devices = null; #codes = null; #journal = []; #self = ""; #lastLook = -Infinity;

  constructor(app) {
    this.#app = app;
    this.requests = new Part("Waiting to be let in", (record) => new RequestRow(this, record), "Nobody is waiting.");
    this.devices = new Part("Devices", () => new DeviceRow(this), "No device is let in.");
    this.codes = new Part("Codes that are out", () => new CodeRow(this), "No code is out.");
    this.journal = new Part("Journal", () => new JournalRow(), "Nothing has happened yet.");
    this.maker = new CodeMaker(this);
    this.access = make("section.view", make("h1", "Access"),
      this.requests.node, this.maker.node, this.devices.node, this.codes.node, this.journal.node);
    this.findings = new Part(null, () => new FindingRow(), "");
    this.look = button("Look again", () => this.#look(true));
    this.healthText = make("p.words", { role: "status" });
    this.health = make("section.view",
      make("div.headline", make("h1", "Health"), this.look), this.healthText, this.findings.node);
    const isThere = () => app.may.has("administer") && this.#devices !== null;
    this.views = {
      access: {
        name: "Access", drawing: "key", view: { node: this.access, show: () => this.show() }, isThere,
        badge: () => this.#waiting.length,
      },
      health: {
        name: "Health", drawing: "health", view: { node: this.health, show: () => this.#look(false) }, isThere,
        badge: () => 0,
      },
    };
  }

  get #waiting() { return (this.#devices ?? []).filter((each) => each.status === "pending"); }

  get notices() {
    return this.#waiting.map((device) => ({
      key: `ask-${device.device}`, kind: "ask", drawing: "key", title: `\u200e${called(device.name)} asks to be let in`,
      text: device.device, verb: "Look", act: () => { location.hash = "access"; },
    }));
  }

  async load() {
    const isSeen = location.hash === "#access";
    const [devices, codes, journal] = await Promise.all([
      own("devices"), isSeen ? own("codes") : null, isSeen ? own("journal?limit=50&of=all") : null,
    ]);
    this.#devices = devices === null ? null : list(devices, "devices");
    this.#self = devices?.self ?? this.#app.device?.device;
    if (isSeen) [this.#codes, this.#journal] = [codes, list(journal, "entries").reverse()];
    this.maker.watch(list(codes, "codes"));
    this.show();
  }

  show() {
    if (this.#devices === null || location.hash !== "#access") return;
    if (this.#codes === null) this.#app.refresh();
    this.requests.show(this.#waiting, (each) => each.device);
    const order = { approved: 0, expired: 1, revoked: 2 };
    const known = this.#devices.filter((each) => each.status in order)
      .map((each) => ({ ...each, isSelf: each.device === this.#self }));
    known.sort((one, other) => order[one.status] - order[other.status] || other.isSelf - one.isSelf
      || String(one.name).localeCompare(String(other.name)));
    this.devices.show(known, (each) => each.device);
    const good = list(this.#codes, "codes").filter((each) => each.status === "good");
    this.codes.show(good, (each) => each.ticket ?? each.code);
    this.journal.show(this.#journal, (each) => each.id);
  }

  async act(method, path, body, done) {
    try {
      const answer = await ask(method, path, body);
      if (done) toast(done);
      return answer ?? {};
    } catch (error) {
      toast(sentence(error.message), "fault");
      return null;
    } finally {
      await this.load().catch(() => this.#app.refresh());
      this.#app.show();
    }
  }

  async #look(isAgain) {
    const now = performance.now();
    if (!isAgain && now - this.#lastLook < 60000) return;
    this.#lastLook = now;
    set(this.look, "disabled", true);
    say(this.healthText, "The doctor looks at the hub. This takes some seconds …");
    try {
      const answer = await ask("GET", "findings", undefined, 60);
      const order = { problem: 0, warning: 1, skipped: 2, ok: 3 };
      const all = list(answer, "findings").sort((one, other) => (order[one.status] ?? 4) - (order[other.status] ?? 4));
      const bad = all.filter((each) => each.status === "problem" || each.status === "warning").length;
      say(this.healthText, bad === 0 ? `All is well: ${count(all.length, "check")} made.`
        : `${count(bad, "thing")} to look at, of ${count(all.length, "check")}.`);
      this.findings.show(all, (each) => `${each.check} ${each.tried}`);
    } catch (error) {
      this.#lastLook = -Infinity;
      say(this.healthText, error.status !== 404 ? sentence(error.message)
        : "This hub cannot look at itself from here; “hubpair doctor” on it does.");
    } finally {
      set(this.look, "disabled", null);
    }
  }
}

class RequestRow extends Row {
  constructor(views, record) {
    const role = roleChoice(`Role for ${record.name}`, "member");
    const path = `devices/${part(record.device)}`;
    super("key", role,
      button("Approve", () => views.act(
        "POST", `${path}/approve`, { role: role.value }, `${called(this.record.name)} is let in`), "primary"),
      button("Refuse", () => views.act("POST", `${path}/refuse`, undefined, `${called(this.record.name)} is refused`)));
    this.code = make("p.fingerprint");
    this.warning = make("p.warning");
    this.title.append(this.code, this.warning);
    set(this.node, "data-kind", "ask");
    set(role, "title", roleHelp);
  }
  update(record) {
    this.record = record;
    say(this.name, String(record.name));
    say(this.words, `asked ${when(record.asked)} · compare with what stands on its screen:`);
    say(this.code, String(record.device));
    say(this.warning, array(record.resembles).length > 0
      ? "Its name looks like that of a device that is let in already." : "");
  }
}

class DeviceRow extends Row {
  constructor(views) {
    const role = roleChoice("Role", "member");
    const revoke = button("Revoke", () => this.#revoke(views), "danger");
    super("device", role, revoke);
    [this.role, this.revoke] = [role, revoke];
    set(role, "title", roleHelp);
    role.addEventListener("change", async () => {
      const record = this.record;
      const isSure = !record.isSelf || role.value === "owner"
        || await confirm("Give up your own rights?", "This browser will not be an owner’s any more.", "Give up");
      if (!isSure) return this.update(record);
      await views.act("PUT", `devices/${part(record.device)}`, { role: role.value },
        `${called(record.name)} is now ${roles[role.value].toLowerCase()}`);
    });
  }
  async #revoke(views) {
    const { isSelf, name, device } = this.record;
    const text = isSelf ? "This is the browser that you are using. The page will close behind you."
      : "It is let in no more, at once. Only a new code lets it in again.";
    if (!(await confirm(`Revoke ${called(name)}?`, text, "Revoke"))) return;
    const path = `devices/${part(device)}/revoke`;
    const left = list(await views.act("POST", path, undefined, `${name} is revoked`), "left");
    if (isSelf || left.length === 0) return;
    const things = left.map((each) => `${each.kind} ${called(each.name)} (${each.what})`).join("; ");
    if (!(await confirm(`${called(name)} leaves something behind`, `${things}. It stays unless you take it away.`, "Take away"))) return;
    await views.act("POST", path, { take_away: true }, `What ${called(name)} left is gone`);
  }
  update(record) {
    this.record = record;
    const isIn = record.status === "approved";
    say(this.name, `${record.name}${record.isSelf ? " (this browser)" : ""}`);
    const seen = record.last_seen ? `last here ${when(record.last_seen)}` : isIn ? "not seen yet" : "";
    const end = record.expires && isIn ? `until ${when(record.expires)}` : "";
    say(this.words, [!isIn && record.status, seen, end, String(record.device)].filter(Boolean).join(" · "));
    if (document.activeElement !== this.role) this.role.value = record.role in roles ? record.role : "";
    set(this.role, "aria-label", `Role of ${record.name}`);
    set(this.revoke, "aria-label", `Revoke ${record.name}`);
    set(this.role, "hidden", !isIn);
    set(this.revoke, "hidden", !isIn);
    set(this.node, "data-old", !isIn);
  }
}

class CodeRow extends Row {
  constructor(views) {
    const end = button("Void", async () => {
      const { code, kind } = this.record;
      const text = `${kind === "label" ? "Nobody can ask with the printed label" : "The code lets nobody in"} any more.`;
      if (!(await confirm(`Void the code ${code}?`, text, "Void"))) return;
      await views.act("DELETE", `codes/${part(code)}`, undefined, "The code is void");
    });
    super("key", end);
    this.end = end;
  }
  update(record) {
    this.record = record;
    const isLabel = record.kind === "label";
    say(this.name, isLabel ? "The label of this hub" : `A code for one ${roles[record.role]?.toLowerCase() ?? "device"}`);
    const left = record.expires ? new Date(record.expires) - Date.now() : null;
    const end = left === null ? "without an end" : left > 0 ? `${span(left)} left` : "over";
    say(this.words, [String(record.code), `made ${when(record.issued)}`, end].join(" · "));
    set(this.end, "aria-label", `Void the code ${record.code}`);
  }
}

const events = {
  paired: "paired with a code", asked: "asked to be let in", approved: "was approved", refused: "was refused",
  revoked: "was revoked", role: "got another role", renamed: "was renamed",
  code_made: "A code was made", code_void: "A code was voided",
  made: "was made", changed: "was changed", removed: "was removed", armed: "armed the house", disarmed: "The house was disarmed", scene_run: "ran", request: "was sent",
};

const doors = { page: " on the page", hub: " · on the hub", timer: " · at its time", alarm: " · at an alarm" };

class JournalRow {
  constructor() {
    this.text = make("span", { dir: "auto" });
    this.time = make("span.words");
    this.node = make("li.line", this.text, this.time);
  }
  update(entry) {
    const event = events[entry.event] ?? String(entry.event);
    const thing = entry.what ?? (entry.appliance ? `${entry.appliance}/${entry.activator}` : null);
    const state = { true: "on", false: "off" }[entry.state] ?? entry.state;
    const what = entry.event === "order"
      ? `${called(thing ?? "Other appliances")}${entry.state === null ? "" : ` to ${state}`}${entry.count > 1 ? `, ${entry.count} times` : ""}`
      : thing ? `${["scene_run", "armed"].includes(entry.event) ? "scene " : entry.kind ? `${entry.kind} ` : ""}${called(thing)} ${event}${entry.count > 1 ? `, ${entry.count} times` : ""}`
      : entry.name ? `${called(entry.name)} ${event}` : `${event}${entry.count > 1 ? ` (${entry.count})` : ""}`;
    const role = entry.role && ["paired", "approved", "role"].includes(entry.event) ? ` as ${entry.role}` : "";
    const before = entry.event === "renamed" && entry.before ? `, before “${called(entry.before)}”` : "";
    say(this.text, `${what}${role}${before}`);
    say(this.time, `${when(entry.time)}${entry.by_name ? ` · by ${called(entry.by_name)}` : ""}${doors[entry.via] ?? ""}`);
  }
}

class FindingRow {
  constructor() {
    this.word = make("span.verdict");
    this.name = make("p.name");
    this.words = make("p.words");
    this.mend = make("p.mend");
    this.node = make("li.item", this.word, make("div.title", this.name, this.words, this.mend));
  }
  update(finding) {
    set(this.node, "data-kind", { problem: "alarm", warning: "alert" }[finding.status] ?? "note");
    say(this.word, String(finding.status));
    say(this.name, String(finding.check));
    say(this.words, [finding.tried, finding.seen].filter((each) => typeof each === "string").join(": "));
    say(this.mend, typeof finding.mend === "string" ? finding.mend : "");
  }
}
