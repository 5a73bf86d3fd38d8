// What only owners see: who asks to be let in, devices, codes, the journal, and what the doctor says.

import { CodeMaker, roleChoice, roleHelp, roles } from "./code.js";
import { button, called, confirm, make, Part, Row, say, sentence, set, span, toast, when } from "./dom.js";
import { array, ask, list, own, part } from "./hub.js";
import { ServiceRights } from "./rights.js";
import { language, m, n, t } from "./text.js";

export class OwnerViews {
  #app; #devices = null; #codes = null; #names = null; #services = null; #journal = []; #self = ""; #lastLook = -Infinity;

  constructor(app) {
    this.#app = app;
    this.requests = new Part(t("Waiting to be let in"), (record) => new RequestRow(this, record), t("Nobody is waiting."));
    this.devices = new Part(t("Devices"), () => new DeviceRow(this), t("No device is let in."));
    this.codes = new Part(t("Codes that are out"), () => new CodeRow(this), t("No code is out."));
    this.names = new Part(t("Names of the hub"), () => new NameRow(this), "");
    this.names.node.append(nameForm(this));
    this.services = new ServiceRights();
    this.journal = new Part(t("Journal"), () => new JournalRow(), t("Nothing has happened yet."));
    this.maker = new CodeMaker(this);
    this.access = make("section.view", make("h1", t("Access")),
      this.requests.node, this.maker.node, this.devices.node, this.services.node, this.codes.node, this.names.node, this.journal.node);
    this.findings = new Part(null, () => new FindingRow(), "");
    this.look = button(t("Look again"), () => this.#look(true));
    this.healthText = make("p.words", { role: "status" });
    this.health = make("section.view",
      make("div.headline", make("h1", t("Health")), this.look), this.healthText, this.findings.node);
    const isThere = () => app.may.has("administer") && this.#devices !== null;
    this.views = {
      access: {
        name: t("Access"), drawing: "key", view: { node: this.access, show: () => this.show() }, isThere,
        badge: () => this.#waiting.length,
      },
      health: {
        name: t("Health"), drawing: "health", view: { node: this.health, show: () => this.#look(false) }, isThere,
        badge: () => 0,
      },
    };
  }

  get #waiting() { return (this.#devices ?? []).filter((each) => each.status === "pending"); }

  get notices() {
    return this.#waiting.map((device) => ({
      key: `ask-${device.device}`, kind: "ask", drawing: "key", title: `\u200e${t("{0} asks to be let in", called(device.name))}`,
      text: device.device, verb: t("Look"), act: () => { location.hash = "access"; },
    }));
  }

  async load() {
    const isSeen = location.hash === "#access";
    const [devices, codes, journal, names, services] = await Promise.all([
      own("devices"), isSeen ? own("codes") : null, isSeen ? own("journal?limit=50&of=all") : null, isSeen ? own("names") : null,
      isSeen ? own("services/rights") : null,
    ]);
    this.#devices = devices === null ? null : list(devices, "devices");
    this.#self = devices?.self ?? this.#app.device?.device;
    if (isSeen) [this.#codes, this.#journal, this.#names, this.#services] = [codes, list(journal, "entries").reverse(), names, services];
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
    this.services.show(this.#services, this.#devices);
    const good = list(this.#codes, "codes").filter((each) => each.status === "good");
    this.codes.show(good, (each) => each.ticket ?? each.code);
    // An older hub tells none.
    set(this.names.node, "hidden", this.#names === null);
    this.names.show(list(this.#names, "names").filter((each) => each.from !== "loopback"), (each) => each.host);
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
    say(this.healthText, t("The doctor looks at the hub. This takes some seconds …"));
    try {
      const answer = await ask("GET", "findings", undefined, 60, { "Accept-Language": language });
      const order = { problem: 0, warning: 1, skipped: 2, ok: 3 };
      const all = list(answer, "findings").sort((one, other) => (order[one.status] ?? 4) - (order[other.status] ?? 4));
      const bad = all.filter((each) => each.status === "problem" || each.status === "warning").length;
      say(this.healthText, bad === 0 ? t("All is well: {0} made.", n(all.length, "check", "checks"))
        : t("{0} to look at, of {1}.", n(bad, "thing", "things"), n(all.length, "check", "checks")));
      this.findings.show(all, (each) => `${each.check} ${each.tried}`);
    } catch (error) {
      this.#lastLook = -Infinity;
      say(this.healthText, error.status !== 404 ? sentence(error.message)
        : t("This hub cannot look at itself from here; “hubpair doctor” on it does."));
    } finally {
      set(this.look, "disabled", null);
    }
  }
}

class RequestRow extends Row {
  constructor(views, record) {
    const role = roleChoice(t("Role for {0}", record.name), "member");
    const path = `devices/${part(record.device)}`;
    super("key", role,
      button(t("Approve"), () => views.act(
        "POST", `${path}/approve`, { role: role.value }, t("{0} is let in", called(this.record.name))), "primary"),
      button(t("Refuse"), () => views.act("POST", `${path}/refuse`, undefined, t("{0} is refused", called(this.record.name)))));
    this.code = make("p.fingerprint");
    this.warning = make("p.warning");
    this.title.append(this.code, this.warning);
    set(this.node, "data-kind", "ask");
    set(role, "title", roleHelp);
  }
  update(record) {
    this.record = record;
    say(this.name, String(record.name));
    say(this.words, t("asked {0} · compare with what stands on its screen:", when(record.asked)));
    say(this.code, String(record.device));
    say(this.warning, array(record.resembles).length > 0
      ? t("Its name looks like that of a device that is let in already.") : "");
  }
}

class DeviceRow extends Row {
  constructor(views) {
    const role = roleChoice(t("Role"), "member");
    const revoke = button(t("Revoke"), () => this.#revoke(views), "danger");
    super("device", role, revoke);
    [this.role, this.revoke] = [role, revoke];
    set(role, "title", roleHelp);
    role.addEventListener("change", async () => {
      const record = this.record;
      const isSure = !record.isSelf || role.value === "owner"
        || await confirm(t("Give up your own rights?"), t("This browser will not be an owner’s any more."), t("Give up"));
      if (!isSure) return this.update(record);
      await views.act("PUT", `devices/${part(record.device)}`, { role: role.value },
        t("{0} is now: {1}", called(record.name), t(roles[role.value])));
    });
  }
  async #revoke(views) {
    const { isSelf, name, device } = this.record;
    const text = isSelf ? t("This is the browser that you are using. The page will close behind you.")
      : t("It is let in no more, at once. Only a new code lets it in again.");
    if (!(await confirm(t("Revoke {0}?", called(name)), text, t("Revoke")))) return;
    const path = `devices/${part(device)}/revoke`;
    const left = list(await views.act("POST", path, undefined, t("{0} is revoked", name)), "left");
    if (isSelf || left.length === 0) return;
    const things = left.map((each) => `${each.kind} ${called(each.name)} (${each.what})`).join("; ");
    if (!(await confirm(t("{0} leaves something behind", called(name)), t("{0}. It stays unless you take it away.", things), t("Take away")))) return;
    await views.act("POST", path, { take_away: true }, t("What {0} left is gone", called(name)));
  }
  update(record) {
    this.record = record;
    const isIn = record.status === "approved";
    say(this.name, `${record.name}${record.isSelf ? ` (${t("this browser")})` : ""}`);
    const seen = record.last_seen ? t("last here {0}", when(record.last_seen)) : isIn ? t("not seen yet") : "";
    const end = record.expires && isIn ? t("until {0}", when(record.expires)) : "";
    say(this.words, [!isIn && t(standings[record.status] ?? String(record.status)), seen, end, String(record.device)].filter(Boolean).join(" · "));
    if (document.activeElement !== this.role) this.role.value = record.role in roles ? record.role : "";
    set(this.role, "aria-label", t("Role of {0}", record.name));
    set(this.revoke, "aria-label", t("Revoke {0}", record.name));
    set(this.role, "hidden", !isIn);
    set(this.revoke, "hidden", !isIn);
    set(this.node, "data-old", !isIn);
  }
}

class CodeRow extends Row {
  constructor(views) {
    const end = button(t("Void"), async () => {
      const { code, kind } = this.record;
      const text = kind === "label" ? t("Nobody can ask with the printed label any more.") : t("The code lets nobody in any more.");
      if (!(await confirm(t("Void the code {0}?", code), text, t("Void")))) return;
      await views.act("DELETE", `codes/${part(code)}`, undefined, t("The code is void"));
    });
    super("key", end);
    this.end = end;
  }
  update(record) {
    this.record = record;
    const isLabel = record.kind === "label";
    say(this.name, isLabel ? t("The label of this hub") : t("A code for one device: {0}", roles[record.role] ? t(roles[record.role]) : "?"));
    const left = record.expires ? new Date(record.expires) - Date.now() : null;
    const end = left === null ? t("without an end") : left > 0 ? t("{0} left", span(left)) : t("over");
    say(this.words, [String(record.code), t("made {0}", when(record.issued)), end].join(" · "));
    set(this.end, "aria-label", t("Void the code {0}", record.code));
  }
}

const origins = {
  certificate: m("from the installed certificate"), announced: m("announced on the network"), machine: m("of the machine"),
  link: m("address"), settings: m("added"), way: m("from outside"),
};

class NameRow extends Row {
  constructor(views) {
    const remove = button(t("Remove"), async () => {
      const { host } = this.record;
      if (!(await confirm(t("Remove {0}?", called(host)), t("Browsers are not let through under it any more."), t("Remove")))) return;
      await views.act("DELETE", `names/${part(host)}`, undefined, t("{0} is removed", called(host)));
    });
    super("key", remove);
    this.remove = remove;
  }
  update(record) {
    this.record = record;
    say(this.name, String(record.host));
    const origin = origins[record.from] ? t(origins[record.from]) : String(record.from);
    say(this.words, [record.interface ? `${origin} ${record.interface}` : origin, !record.certificate && t("browsers warn")].filter(Boolean).join(" · "));
    set(this.remove, "aria-label", t("Remove {0}", record.host));
    set(this.remove, "hidden", record.from !== "settings");
  }
}

// A name from a router or a proxy.
function nameForm(views) {
  const name = make("input", { type: "text", autocapitalize: "none", spellcheck: "false", placeholder: "kitchen.fritz.box" });
  set(name, "aria-label", t("Another name of the hub"));
  const form = make("form.buttons", name, make("button", { type: "submit" }, t("Add")));
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const host = name.value.trim().replace(/^[a-z]+:\/\//i, "").replace(/[/?#].*$/, "").replace(/:\d+$/, "");
    if (host === "") return;
    if (await views.act("PUT", `names/${part(host)}`, undefined, t("{0} counts as a name of the hub now", called(host)))) name.value = "";
  });
  return form;
}

const standings = { approved: m("approved"), expired: m("expired"), revoked: m("revoked"), pending: m("pending") };
const events = {
  paired: m("paired with a code"), asked: m("asked to be let in"), approved: m("was approved"), refused: m("was refused"),
  revoked: m("was revoked"), role: m("got another role"), renamed: m("was renamed"),
  code_made: m("A code was made"), code_void: m("A code was voided"),
  made: m("was made"), changed: m("was changed"), removed: m("was removed"), armed: m("armed the house"), disarmed: m("The house was disarmed"), scene_run: m("ran"), request: m("was sent"),
};

const kindWords = { scene: m("scene"), rule: m("rule"), room: m("room"), service: m("service") };
const stateWord = (state) => (typeof state === "boolean" ? t(state ? "on" : "off") : String(state));
const doors = { page: m("on the page"), hub: m("on the hub"), timer: m("at its time"), alarm: m("at an alarm") };

class JournalRow {
  constructor() {
    this.text = make("span", { dir: "auto" });
    this.time = make("span.words");
    this.node = make("li.line", this.text, this.time);
  }
  update(entry) {
    const event = t(events[entry.event] ?? String(entry.event)), { count = 1, kind, state } = entry;
    const thing = entry.what ?? (entry.appliance ? `${entry.appliance}/${entry.activator}` : null);
    const word = ["scene_run", "armed"].includes(entry.event) ? t("scene") : kindWords[kind] ? t(kindWords[kind]) : kind;
    const order = called(thing ?? t("Other appliances"));
    const words = entry.event === "order" ? (state === null || state === undefined ? order : t("{0} to {1}", order, stateWord(state)))
      : kind === "service" && entry.name ? t(state === true ? "{0} may use {1}" : "{0} may not use {1} any more", called(entry.name), called(thing))
      : thing ? [word, called(thing), event].filter(Boolean).join(" ")
      : entry.name ? `${called(entry.name)} ${event}` : event;
    const what = count > 1 ? `${words}, ${t("{0} times", count)}` : words;
    const role = entry.role && ["paired", "approved", "role"].includes(entry.event) ? ` ${t("as {0}", Object.hasOwn(roles, entry.role) ? t(roles[entry.role]) : entry.role)}` : "";
    const before = entry.event === "renamed" && entry.before ? t(", before “{0}”", called(entry.before)) : "";
    say(this.text, `${what}${role}${before}`);
    say(this.time, `${when(entry.time)}${entry.by_name ? ` · ${t("by {0}", called(entry.by_name))}` : ""}${doors[entry.via] ? ` · ${t(doors[entry.via])}` : ""}`);
  }
}

const verdicts = { problem: m("problem"), warning: m("warning"), skipped: m("skipped"), ok: m("ok") };

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
    say(this.word, Object.hasOwn(verdicts, finding.status) ? t(verdicts[finding.status]) : String(finding.status));
    say(this.name, String(finding.check));
    say(this.words, [finding.tried, finding.seen].filter((each) => typeof each === "string").join(": "));
    say(this.mend, typeof finding.mend === "string" ? finding.mend : "");
  }
}
