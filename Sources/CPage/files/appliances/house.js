// The appliances of the house, how the hub says that they stand, and orders to them.

import { Appliance } from "./appliance.js";
import { sentence, sorting } from "./dom.js";
import { array, ask, Away, list, own, part, Refusal } from "./hub.js";
import { t } from "./text.js";

// An order that takes longer is shown as waiting.
const patience = 1000;
// What moves is shown as moving for so long at most.
const longestMove = 90000;

// Nobody has said that an order was carried out, and nobody that it was not.
class Unconfirmed extends Error {
  end = performance.now();
  isUnconfirmed = true;
}

// All appliances, by their names. While an order is under way its state is shown as it was ordered.
export class House {
  appliances = new Map();
  #orders = new Map();
  // The orders that have just been carried out: a list that was asked for before does not know of them.
  #done = new Map();
  // What people have said of their appliances: {kind, guests}, by id.
  #given = new Map();
  // {unit, from, to} by "appliance/activator".
  #units = new Map();
  // Blinds take their time: {state, end} by "appliance/activator".
  #moves = new Map();
  // False if this browser may not set what guests leave alone.
  opensAll = true;
  // Called with those that have changed, or with nothing: then all may have.
  onchange = () => {};
  // What else looks at the appliances: a sheet that is open.
  watchers = new Set();
  // In seconds, as the hub says.
  age = 0;
  #at;

  // at: where “hubpair open” passes on what is asked of this hub; nothing for the hub whose page this is.
  constructor(at = "") { this.#at = at; }

  // Where the house itself, or the hub, has that.
  path(path) { return this.#at === "" ? path : `${this.#at}${path.startsWith("/") ? "" : "/hubpair/v1/"}${path}`; }

  #changed(...appliances) {
    this.onchange(appliances.filter(Boolean));
    for (const each of this.watchers) each();
  }

  async load() {
    const start = performance.now();
    // The hub lists what does not answer, too, and all while the server is away. An older one has no such list, and
    // of what it cannot read itself the page shows what it can.
    const known = await own(this.path("states"), { "Cache-Control": "max-age=0" });
    let [value, fault] = [known?.devices, null];
    this.age = Number.isFinite(known?.age) ? Math.max(0, known.age) : 0;
    if (known?.current === false) fault = new Refusal(502, "upstream_unavailable", String(known.fault));
    if (!Array.isArray(value) || known.current === false && known.answers === true) {
      try {
        const listed = await ask("GET", this.path("/devices/"), undefined, 10);
        if (!Array.isArray(listed)) throw new Refusal(502, "malformed", "The list of appliances cannot be read.");
        [value, fault] = [listed, null];
      } catch (error) {
        if (!Array.isArray(value) || !(error instanceof Refusal)) throw error;
        fault = error;
      }
    }
    const before = this.appliances, found = new Map();
    // As they were sorted before: then there is little to sort.
    for (const id of before.keys()) found.set(id, null);
    for (const each of list(value)) {
      if (each.deviceId === undefined) continue;
      const appliance = new Appliance(
        each, this.#given.get(String(each.deviceId)), (id) => this.#units.get(`${each.deviceId}/${id}`));
      const known = before.get(appliance.id);
      // What the house says now is the truth about an order that nobody confirmed.
      const isOver = known?.fault instanceof Unconfirmed && known.fault.end < start;
      if (known) [appliance.fault, appliance.isWaiting] = [isOver ? null : known.fault, known.isWaiting];
      found.set(appliance.id, appliance);
      for (const activator of appliance.activators) {
        const key = `${appliance.id}/${activator.id}`;
        const order = this.#orders.get(key) ?? this.#done.get(key);
        if (order && !order.isMove && !(order.end < start)) activator.state = order.state;
        this.#follow(key, activator);
      }
    }
    this.appliances = new Map([...found.values()].filter(Boolean)
      .sort((one, other) => sorting.compare(one.name, other.name)).map((each) => [each.id, each]));
    for (const [key, order] of this.#done) if (order.end < start) this.#done.delete(key);
    this.setUnanswered(new Set(array(known?.unanswered)));
    if (fault !== null) throw fault;
  }

  // What people have said of their appliances.
  setWords(kinds, units) {
    this.#given = new Map(kinds.map((each) => [String(each.device), each]));
    const isUnit = (each) => typeof each.unit === "string" && each.from < each.to;
    this.#units = new Map(units.filter(isUnit).map((each) => [`${each.device}/${each.activator}`, each]));
    for (const appliance of this.appliances.values()) {
      appliance.given = this.#given.get(appliance.id);
      for (const activator of appliance.activators) activator.measure(this.#units.get(`${appliance.id}/${activator.id}`));
    }
  }

  // What moves has come to its end, or has taken too long.
  #follow(key, activator) {
    const move = this.#moves.get(key);
    if (move && (Math.abs(move.state - activator.state) < 0.01 || move.end < performance.now())) this.#moves.delete(key);
    activator.target = this.#moves.get(key)?.state ?? null;
  }

  canSet(appliance) { return !appliance.onlyTells && (this.opensAll || appliance.allowsGuests); }

  // States that a stream tells of.
  take(changes) {
    const changed = new Set();
    for (const { device, activator: id, state } of changes) {
      const appliance = this.appliances.get(device), activator = appliance?.activators.find((each) => each.id === id);
      const key = `${device}/${id}`, order = this.#orders.get(key);
      if (!activator || state === undefined || order && !order.isMove) continue;
      activator.state = state;
      this.#follow(key, activator);
      changed.add(appliance);
    }
    if (changed.size > 0) this.#changed(...changed);
  }

  // Orders a state. Of orders that come faster than they are carried out, only the last counts.
  async order(appliance, activator, state) {
    const key = `${appliance.id}/${activator.id}`;
    const running = this.#orders.get(key);
    const before = running ? running.before : activator.state;
    const isMove = appliance.kind === "blind" && activator === appliance.opening?.activator && activator.isLevel;
    if (isMove) {
      this.#moves.set(key, { state, end: performance.now() + longestMove });
      this.#follow(key, activator);
    } else activator.state = state;
    if (running) {
      running.state = state;
      return this.#changed(appliance);
    }
    const order = { state, before, isMove };
    this.#orders.set(key, order);
    this.#changed(appliance);
    const slow = setTimeout(() => this.#wait(appliance, true), patience);
    try {
      let sent;
      do {
        sent = order.state;
        await ask("POST", this.path(`/devices/${part(appliance.id)}/activators/${part(activator.id)}`), { state: sent });
        order.before = sent;
      } while (order.state !== sent);
      if (!isMove) this.#done.set(key, { state: order.state, end: performance.now() });
      this.#tell(appliance, activator, order, null);
    } catch (error) {
      const isOpen = error instanceof Away || error.isUnconfirmed;
      const fault = isOpen ? new Unconfirmed(`${t("Not confirmed.")} ${sentence(error.message)}`) : error;
      this.#moves.delete(key);
      this.#tell(appliance, activator, { ...order, state: order.before }, fault);
      throw fault;
    } finally {
      clearTimeout(slow);
      this.#wait(appliance, false);
      this.#orders.delete(key);
      this.#changed(this.appliances.get(appliance.id));
    }
  }

  #wait(appliance, isWaiting) {
    const current = this.appliances.get(appliance.id);
    if (!current || current.isWaiting === isWaiting) return;
    current.isWaiting = isWaiting;
    this.#changed(current);
  }

  // The list may have been loaded again meanwhile.
  #tell(appliance, activator, { state, isMove }, error) {
    const current = this.appliances.get(appliance.id);
    if (!current) return;
    current.fault = error;
    const set = current.activators.find((each) => each.id === activator.id);
    if (!set) return;
    if (isMove) this.#follow(`${appliance.id}/${activator.id}`, set);
    else set.state = state;
  }

  setUnanswered(ids) {
    for (const appliance of this.appliances.values()) {
      const isOut = ids.has(appliance.id);
      if (isOut) appliance.fault = "unanswered";
      else if (appliance.fault === "unanswered") appliance.fault = null;
    }
    this.#changed();
  }
}
