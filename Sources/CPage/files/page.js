// The page: which view is shown, how it keeps up with the hub, and what it says about that.

import { forgetHouse, recall, register, remember } from "./app.js";
import { called, choose, clock, confirm, icon, make, say, sentence, set, span, toast, when } from "./dom.js";
import { HomeView } from "./home.js";
import { House } from "./house.js";
import { array, ask, Away, list, own, Refusal, replay, Stream } from "./hub.js";
import { save } from "./key.js";
import { MessagesView } from "./messages.js";
import { kept, m, n, ownWords, t } from "./text.js";

// How often the house is asked while no stream tells of changes, and while one does.
const pollTime = 3000;
const slowPollTime = 30000;
const longestWait = 15000;
// The first lamp is in sight, however many alarms are open.
const shownAlarms = 3;
// A hub that does not answer in this time is taken to be away, where the page knows how the house stood last.
const shortPatience = 5;
// A house that was read later than this is slow, if not away.
const longestAge = 10000;
// Browsers have six connections to a hub. Two windows hold two streams each; all others ask.
const places = ["streams 1", "streams 2"];
const roleNames = { owner: m("Owner"), member: m("Member"), guest: m("Guest") };
// The parts of the page. Who they are for is told where they are added.
const viewOrder = ["houses", "home", "messages", "arrange", "access", "health", "hubs"];

// Fails when a hub that is known is to be taken to be away; never, where it is not known. Nobody waits for what is kept
// before the hub has answered.
async function late() {
  if (!await recall()) return new Promise(() => {});
  await new Promise((go) => setTimeout(go, shortPatience * 1000));
  throw new Away("", true);
}

class App {
  house = new House();
  role = null;
  hasHouse = false;
  isHouseAway = false;
  // What this browser may do; nothing until the hub has said it.
  may = new Set();
  hub = ""; hubID = null; #fault = null; #lastAnswer = null; #isStreaming = false; #timer = null; #wait = 1000; #isBusy = false;
  #isOffline = false; #isOfAll = false; #standing = null; #changed = {};
  #rounds = 0; #isDrawing = false; #houseFault = null; #isIntroduced = false; #isWanted = false;
  #leave = null; #soon = null; #front = null; #badge = null; services = null;
  // When what is shown was kept, as long as the hub has not answered since.
  #keptAt = null; #mayRecall = true;
  // Whether this browser has checked the hub's certificate; null where that cannot be told.
  isChecked = null;

  constructor() {
    this.status = document.getElementById("status");
    this.statusText = document.getElementById("status-text");
    this.main = document.getElementById("main");
    this.tabs = document.getElementById("tabs");
    this.home = new HomeView(this);
    this.messages = new MessagesView(this);
    this.owner = null;
    this.views = {
      home: { name: t("Home"), drawing: "home", view: this.home, isThere: () => true, badge: () => 0 },
      messages: {
        name: t("Messages"), drawing: "bell", view: this.messages, isThere: () => this.messages.isThere,
        badge: () => this.messages.calling.length,
      },
    };
    this.stranger = make("section.view.empty", { hidden: true },
      make("h1"), make("p", { role: "alert" }));
    this.main.append(this.home.node, this.messages.node, this.stranger);
    this.house.onchange = (changed) => {
      this.home.showSome(changed);
      this.#draw();
    };
    this.streams = [
      new Stream("/hubpair/v1/states/stream", (change, type) => this.#takeStates(change, type),
        (isOpen, isSilent) => this.#tellStream(isOpen, isSilent)),
      new Stream("/hubpair/v1/messages/stream", (message, type) => {
        if (type !== "alive") this.messages.take(message, type);
      }),
    ];
  }

  start() {
    const wait = document.getElementById("wait");
    say(wait, t("Asking the hub …"));
    set(wait, "hidden", null);
    say(document.querySelector(".skip"), t("Skip to the content"));
    set(this.tabs, "aria-label", t("Parts of this page"));
    addEventListener("hashchange", () => this.show(true));
    addEventListener("online", () => this.refresh());
    addEventListener("offline", () => this.#lose(t("The network is gone."), true));
    document.addEventListener("visibilitychange", () => this.#wake());
    setInterval(() => this.#showStatus(), 1000);
    // It goes to the content, and not to another part of the page.
    document.querySelector(".skip").addEventListener("click", (event) => {
      event.preventDefault();
      this.main.focus();
    });
    const open = document.getElementById("about");
    set(open, "aria-label", t("About this house"));
    open.append(icon("info"));
    open.addEventListener("click", () => this.#about());
    this.show();
    this.#wake();
    // The hub itself has TLS: without, it is “hubpair open” that shows the page.
    if (location.protocol === "http:") this.#makeHubs();
  }

  // A page that nobody looks at asks nothing and holds no streams: browsers have six connections to a hub.
  #wake() {
    if (document.hidden) {
      clearTimeout(this.#timer);
      for (const stream of this.streams) stream.close();
      this.#leave?.();
      this.#leave = null;
    } else {
      this.#wait = 1000;
      this.refresh();
    }
  }

  async refresh() {
    clearTimeout(this.#timer);
    this.#isWanted = this.#isBusy;
    if (this.#isBusy) return;
    this.#isBusy = true;
    try {
      if (this.role === null || this.#keptAt) await this.#introduce();
      await this.#loadHouse();
      // What changes seldom, or comes by a stream, is asked for now and then.
      const isTime = this.#rounds % 5 === 0 || this.#isStreaming;
      await Promise.all([
        this.#makeOthers(), isTime && this.home.load(), isTime && this.messages.load(),
        (isTime || this.#standing) && this.#loadStates(),
      ]);
      await Promise.all([this.owner?.load(), this.arrange?.load()]);
      this.#rounds += 1;
      [this.#fault, this.#lastAnswer, this.#wait, this.#isOffline] = [null, performance.now(), 1000, false];
      remember(this.messages.answers);
      if (this.isChecked === null) this.#register();
    } catch (error) {
      if (!(error instanceof Away || error instanceof Refusal)) throw error;
      this.#fault = error;
      this.#wait = Math.min(this.#wait * 2, longestWait);
      // Another version may answer next, or this browser have another role.
      if (error instanceof Refusal) this.role = null;
      if (this.#rounds > 0) this.#rounds = 1;
      if (error.isStranger) forgetHouse();
      else if (error instanceof Away && !this.#isIntroduced && this.#mayRecall) await this.#recall();
    } finally {
      this.#isBusy = false;
      set(document.getElementById("wait"), "hidden", true);
      this.show();
      const wait = this.#isWanted ? 0 : this.#fault ? this.#wait : this.#isStreaming ? slowPollTime : pollTime;
      if (!document.hidden) this.#timer = setTimeout(() => this.refresh(), wait);
    }
  }

  // The app's worker fetches all files of the page, which can wait for the house.
  async #register() {
    this.isChecked = await register();
    if (this.isChecked) save(ownWords, "words").catch(() => {});
  }

  // Who this browser is here, and on which hub.
  async #introduce() {
    const asked = Promise.all([ask("GET", "device"), own("hub")]);
    const [device, hub] = await (this.#mayRecall ? Promise.race([asked, late()]) : asked);
    if (device?.status !== "approved") {
      const texts = {
        pending: t("The owner has not approved this browser yet. The page opens by itself when that happens."),
        revoked: t("The owner has taken back this browser’s access."),
        expired: t("This browser’s access has expired."),
      };
      throw new Refusal(403, "not_approved", texts[device?.status] ?? t("The hub does not know this browser."));
    }
    // What is shown is another device's.
    if (this.#keptAt && device.device !== this.device.device) {
      await forgetHouse();
      location.reload();
      throw new Away("");
    }
    this.#mayRecall = false;
    this.#keptAt = null;
    this.#isIntroduced = true;
    this.role = typeof device.role === "string" ? device.role : "member";
    this.may = new Set(Array.isArray(device.may) ? device.may : []);
    this.house.opensAll = this.may.has("open");
    this.device = device;
    this.hub = typeof hub?.name === "string" ? hub.name : t("Home hub");
    this.hubID = typeof hub?.id === "string" ? hub.id : null;
    say(document.getElementById("hub"), this.hub);
    set(document.getElementById("about"), "disabled", null);
    this.#showServices();
  }

  async #showServices() {
    const { servicesNode, showServices } = await import("./services.js");
    if (!this.services) this.home.notices.after(this.services = servicesNode());
    await showServices(this.services).catch(() => {});
  }

  // The hub does not answer, and the page has just been opened: how this device last saw the house.
  async #recall() {
    this.#mayRecall = false;
    const house = await recall();
    if (!house) return;
    replay(house.answers);
    try {
      await this.#introduce();
      await this.#loadHouse();
      await Promise.all([this.#makeOthers(), this.home.load(), this.messages.load()]);
      this.#keptAt = new Date(house.at).toISOString();
      this.#lastAnswer = performance.now() - house.age;
    } catch (error) {
      if (!(error instanceof Away || error instanceof Refusal)) throw error;
      [this.#isIntroduced, this.role] = [false, null];
    } finally {
      replay(null);
    }
  }

  // On a hub itself nothing is known of other hubs.
  async #makeHubs() {
    const known = await own("/hubpair/local/hubs").catch(() => null);
    if (known === null) return;
    const [{ HubsView }, { HousesView }] = await Promise.all([import("./hubs.js"), import("./houses.js")]);
    const houses = new HousesView();
    houses.take(known);
    this.#add("houses", t("Houses"), "houses", houses, () => houses.isThere);
    this.#add("hubs", t("Hubs"), "device", new HubsView(this));
    this.show();
  }

  #add(key, name, drawing, view, isThere = () => true) {
    this.views[key] = { name, drawing, view, isThere, badge: () => 0 };
    this.main.insertBefore(view.node, this.stranger);
  }

  // The first screen does without these, and comes first. Owners alone load what is for owners.
  async #makeOthers() {
    await Promise.all([
      this.may.has("arrange") && !this.arrange && this.#makeArrange(),
      this.may.has("administer") && !this.owner && this.#makeOwner(),
    ]);
  }

  async #makeArrange() {
    const { ArrangeView } = await import("./edit.js");
    // It may have come late, and been asked for again.
    if (this.arrange) return;
    this.arrange = new ArrangeView(this);
    this.#add("arrange", t("Arrange"), "arrange", this.arrange, () => this.may.has("arrange") && this.messages.isThere);
  }

  async #makeOwner() {
    const { OwnerViews } = await import("./owner.js");
    if (this.owner) return;
    this.owner = new OwnerViews(this);
    for (const [name, view] of Object.entries(this.owner.views)) {
      this.views[name] = view;
      set(view.view.node, "hidden", true);
      this.main.insertBefore(view.view.node, this.stranger);
    }
  }

  async #loadHouse() {
    try {
      await this.house.load();
      [this.hasHouse, this.isHouseAway, this.#houseFault] = [true, false, null];
    } catch (error) {
      // The hub itself answers, and what it keeps can be shown and changed.
      if (error.isLate && (await own("hub")) !== null) {
        [this.isHouseAway, this.#houseFault] = [true, new Error(t("It does not answer in time."))];
        return;
      }
      if (!(error instanceof Refusal) || error.isStranger) throw error;
      [this.isHouseAway, this.#houseFault] = [true, error];
    }
  }

  // What the hub itself knows of the states; then it also tells of changes.
  async #loadStates() {
    const states = await own("states");
    if (states !== null) {
      this.house.setUnanswered(new Set(array(states.unanswered)));
      this.#takeStanding(states);
    }
    if (document.hidden || !(await this.#takePlace())) return;
    if (states !== null) this.streams[0].open();
    if (this.messages.isThere) this.streams[1].open();
  }

  // True if this window may hold streams: it has one of the places, and keeps it until nobody looks at it.
  async #takePlace() {
    for (const place of navigator.locks ? places : []) {
      if (this.#leave) break;
      await new Promise((decided) => navigator.locks.request(place, { ifAvailable: true }, (lock) => {
        decided();
        return lock && new Promise((leave) => { this.#leave = leave; });
      }).catch(decided));
    }
    if (document.hidden) this.#wake();
    return !navigator.locks || this.#leave !== null;
  }

  // A stream that breaks off may mean that the hub is away, or lets this browser in no more: it is asked at once.
  #tellStream(isOpen, isSilent = false) {
    const isBroken = this.#isStreaming && !isOpen && !document.hidden;
    this.#isStreaming = isOpen;
    if (isBroken && isSilent) return this.#lose(t("The hub is silent."));
    this.#showStatus();
    if (!isBroken) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.refresh(), 200);
  }

  // The hub, or the network between, is gone: said at once, and then looked at.
  #lose(words, isOffline = false) {
    [this.#fault, this.#isOffline] = [new Away(words), isOffline];
    this.show();
    this.refresh();
  }

  // A heartbeat: the hub is there, and says how the house stands and what has changed.
  #takeAlive(alive) {
    this.#lastAnswer = performance.now();
    if (this.#fault instanceof Away) {
      [this.#fault, this.#isOffline] = [null, false];
      this.refresh();
    }
    this.#takeStanding(alive);
    const changed = Object.entries(alive?.changed ?? {}).filter(([part, number]) => {
      const isNew = part in this.#changed && this.#changed[part] !== number;
      this.#changed[part] = number;
      return isNew;
    }).map(([part]) => part);
    if (changed.length === 0) return this.#showStatus();
    const loads = [this.home.load()];
    if (changed.includes("devices")) loads.push(this.owner?.load());
    if (changed.some((part) => part !== "devices")) loads.push(this.arrange?.load());
    Promise.all(loads).then(() => this.show(), () => this.refresh());
  }

  // What the hub itself knows: whether the house answers, and how old its states are.
  #takeStanding({ current, age, fault }) {
    const wasAway = this.#standing?.isAway;
    const isAway = current === false && typeof fault === "string";
    this.#standing = { isAway, time: Number.isFinite(age) ? performance.now() - age * 1000 : null };
    if (isAway) {
      // What the page has met itself says more.
      if (!this.isHouseAway) [this.isHouseAway, this.#houseFault] = [true, new Error(fault)];
      this.show();
    } else if (wasAway) this.refresh();
  }

  #takeStates(change, type) {
    if (type === "alive") return this.#takeAlive(change);
    if (type === "reset" && !Array.isArray(change?.states)) return this.refresh();
    this.house.take(change?.device ? [change] : list(change, "states"));
  }

  // What is open stands in front of everything.
  async front() {
    if (this.messages.open.length === 0 && !this.#front) return;
    const { Front } = await import("./front.js");
    this.#front ??= new Front(this);
    this.#front.show();
  }

  async #about(isFirst = false) {
    const { about } = await import("./about.js");
    about(this, isFirst);
    this.show();
  }

  get notices() {
    const alarms = this.messages.open.slice(0, shownAlarms).map((message) => ({
      key: `alarm-${message.id}`, kind: "alarm", drawing: "alarm", title: message.text,
      text: message.count > 1 ? `${t("Alarm")} · ${t("{0} times, last {1}", message.count, when(message.last))}` : t("Alarm"),
      verb: this.may.has("arrange") ? t("Acknowledge") : null, act: () => this.messages.acknowledge(message),
    }));
    const more = this.messages.openCount - alarms.length;
    if (more > 0) {
      alarms.push({
        key: "alarms", kind: "alarm", drawing: "alarm", title: t("and {0}", n(more, "more alarm", "more alarms")), text: "",
        verb: t("Show all"), act: () => { location.hash = "messages"; },
      });
    }
    const before = this.#keptAt ? [{
      key: "kept", kind: "alert", drawing: "alert", title: t("The hub does not answer"),
      text: t("So stood the house {0}.", when(this.#keptAt)), verb: t("Try again"), act: () => this.refresh(),
    }] : [];
    const away = this.isHouseAway && this.house.appliances.size > 0
      ? [{
        key: "away", kind: "alert", drawing: "alert", title: t("The house does not answer"),
        text: sentence(this.#houseFault.message), verb: t("Try again"), act: () => this.refresh(),
      }] : [];
    const first = this.#isIntroduced && kept("met") !== this.device.device ? [{
      key: "first", kind: "note", drawing: "home", title: t("Welcome to {0}", called(this.hub)),
      text: t("You are here as {0}.", `${called(this.device.name ?? "")}, ${t(roleNames[this.role] ?? this.role)}`),
      verb: t("What I may do"), act: () => this.#about(true),
    }] : [];
    return [...before, ...alarms, ...this.#armed, ...away, ...(this.owner?.notices ?? []), ...first];
  }

  // What a scene has armed, or can arm; what is always armed is no news.
  get #armed() {
    const { count: number, total, scene, scenes, since, by } = this.home.armed;
    const mayDecide = this.may.has("arrange");
    if (number === 0 && (total === 0 || !mayDecide)) return [];
    const name = typeof scene === "string" ? ` (${called(scene)})` : "";
    const words = [when(since), typeof by?.name === "string" ? t("by {0}", called(by.name)) : ""];
    const [kind, title, verb] = number > 0
      ? ["armed", `${t("Armed: {0}", n(number, "rule", "rules"))}${name}`, t("Disarm")] : ["note", t("Disarmed"), t("Arm")];
    return [{
      key: "armed", kind, drawing: "shield", title,
      text: words.filter((each) => each !== "").join(" · ") || t("{0} can be armed", n(total, "rule", "rules")),
      verb: mayDecide ? verb : null, act: () => (number > 0 ? this.#disarm(number) : this.#arm(scenes)),
    }];
  }

  // Nothing is switched by that: running the scene does so. A slip of the finger is no decision.
  async #arm(scenes) {
    const scene = scenes.length === 1
      ? (await confirm(t("Arm the house?"), t("What the scene {0} arms. Nothing is switched by that.", called(scenes[0])), t("Arm"), false)) && scenes[0]
      : await choose(t("Arm what this scene arms?"), scenes);
    if (scene) await this.#decide("POST", { scene });
  }

  async #disarm(number) {
    const isMeant = await confirm(t("Disarm the house?"), t("{0} will not tell of anything.", n(number, "rule", "rules")), t("Disarm"));
    if (isMeant) await this.#decide("DELETE");
  }

  async #decide(method, body) {
    try {
      await ask(method, "armed", body);
    } catch (error) {
      toast(sentence(error.message), "fault");
    }
    this.refresh();
  }

  // Many messages at once are asked for once.
  refreshSoon() {
    this.#soon ??= setTimeout(() => { this.#soon = null; this.refresh(); }, 300);
  }

  // Many changes at once are drawn once.
  #draw() {
    if (this.#isDrawing) return;
    this.#isDrawing = true;
    requestAnimationFrame(() => { this.#isDrawing = false; this.show(); });
  }

  show(isMove = false) {
    const isStranger = this.#fault instanceof Refusal && this.#fault.isStranger;
    const { hubs, houses } = this.views;
    const first = houses?.isThere() ? "houses" : "home";
    const hasNone = this.#fault?.word === "no_hub" && hubs && first === "home";
    const wanted = location.hash.slice(1);
    const name = hasNone ? "hubs" : this.views[wanted]?.isThere() ? wanted : first;
    // The others are about the one hub whose page this is.
    const isHub = name !== "hubs" && name !== "houses";
    this.#isOfAll = name === "houses";
    for (const [key, { view }] of Object.entries(this.views)) {
      set(view.node, "hidden", key !== name || isHub && (isStranger || !this.#isIntroduced));
    }
    // Nothing to show yet, and why.
    const isOut = isHub && (isStranger || this.#fault !== null && !this.#isIntroduced);
    set(this.stranger, "hidden", !isOut);
    if (isOut) {
      say(this.stranger.firstElementChild, isStranger ? t("This browser is not let in") : t("The hub does not answer"));
      say(this.stranger.lastElementChild, isStranger ? sentence(this.#fault.message)
        : t("It may be off, or on another network. The page asks again by itself."));
    }
    if (!isHub || this.role !== null && !isStranger) this.views[name].view.show();
    for (const each of ["hubs", "houses"]) if (name !== each) this.views[each]?.view.hide();
    this.#showTabs(name, hasNone ? ["hubs"] : isStranger ? ["houses", "home", "hubs"] : viewOrder);
    this.#showStatus();
    if (isMove) {
      if (name === "arrange") this.arrange.load().catch(() => this.refresh());
      scrollTo(0, 0);
      this.views[name].view.node.querySelector("h1")?.setAttribute("tabindex", "-1");
      this.views[name].view.node.querySelector("h1")?.focus({ preventScroll: true });
    }
  }

  #showTabs(current, possible) {
    const there = possible.filter((key) => this.views[key]?.isThere()).map((key) => [key, this.views[key]]);
    set(this.tabs, "hidden", there.length < 2);
    const keys = there.map(([key]) => key).join(" ");
    if (this.tabs.dataset.keys !== keys) {
      this.tabs.dataset.keys = keys;
      this.tabs.replaceChildren(...there.map(([key, view]) => make("a", { href: `#${key}`, "data-key": key },
        icon(view.drawing), make("span", view.name), make("b.count", { hidden: true }))));
    }
    for (const link of this.tabs.children) {
      const view = this.views[link.dataset.key];
      const number = view.badge();
      set(link, "aria-current", link.dataset.key === current ? "page" : null);
      set(link.lastElementChild, "hidden", number === 0);
      say(link.lastElementChild, number > 99 ? "99+" : String(number));
      set(link, "aria-label", number > 0 ? t("{0}, {1} to look at", view.name, n(number, "thing", "things")) : null);
    }
    const waiting = there.reduce((sum, [, view]) => sum + view.badge(), 0);
    // On the app's own icon: the alarms that are open.
    if (this.messages.isThere && this.#badge !== this.messages.openCount) {
      this.#badge = this.messages.openCount;
      navigator.setAppBadge?.(this.#badge).catch(() => {});
    }
    const title = `${waiting > 0 ? `(${waiting}) ` : ""}${this.hub || t("Home hub")}`;
    if (document.title !== title) document.title = title;
  }

  // How fresh is what the page shows.
  #showStatus() {
    const age = this.#lastAnswer === null ? null : performance.now() - this.#lastAnswer;
    const old = age === null ? "" : ` · ${t("{0} old", span(age))}`;
    const { time = null } = this.#standing ?? {};
    const houseAge = time === null ? null : performance.now() - time;
    const [kind, text] = this.#fault instanceof Away ? ["away", `${this.#isOffline ? t("No network") : t("Hub away")}${old}`]
      : this.#fault?.word === "no_hub" ? ["wait", t("No hub yet")]
      : this.#fault ? ["away", `${this.#fault.isStranger ? t("Not let in") : t("Hub in trouble")}${old}`]
      : age === null ? ["wait", t("Asking …")]
      : this.isHouseAway ? ["old", houseAge === null ? t("House away") : `${t("House away since {0}", clock(houseAge))} · ${t("{0} old", span(houseAge))}`]
      : this.#isStreaming && houseAge > longestAge ? ["old", t("{0} old", span(houseAge))]
      : this.#isStreaming || age < pollTime + 4000 ? ["live", t("Up to date")] : ["old", t("{0} old", span(age))];
    set(this.status, "data-kind", kind);
    // Each of several houses says it of itself.
    set(this.status, "hidden", this.#isOfAll);
    say(this.statusText, text);
    set(this.main, "data-old", !this.#isOfAll && (kind === "away" || kind === "old"));
  }
}

new App().start();
