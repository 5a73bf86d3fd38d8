// Requests to the hub, and its streams of events.

import { note } from "./app.js";
import { renew } from "./key.js";
import { t } from "./text.js";

// The largest answer that is read: a hub that sends more is broken, and must not take the browser's memory.
const maximumByteCount = 16 << 20;

// The time of two heartbeats of the hub, and a second.
const silence = 5000;

// The hub does not answer: it is off, or the network between is gone. Or it answers, but not in time.
export class Away extends Error {
  constructor(message, isLate = false) {
    super(message);
    this.isLate = isLate;
  }
}

// The hub answers that it will not, or not now. `word` is its error code.
export class Refusal extends Error {
  constructor(status, word, message, hint) {
    super(hint ? `${message} (${hint})` : message);
    this.status = status;
    this.word = word;
  }
  // True if the order may have been carried out all the same.
  get isUnconfirmed() { return this.status >= 502 && this.status <= 504; }
  // True if this browser has no access any more.
  get isStranger() {
    return this.status === 401 || ["not_approved", "role_unknown", "no_certificate"].includes(this.word);
  }
}

// Answers of an earlier time, by path; while they are there, the hub is not asked.
let replayed = null;
export function replay(answers) { replayed = answers; }

// Sends a request; returns what the answer's JSON says, null for an empty one. A path without a slash in front is
// one of the hub's own. If this browser's session is over, it begins another one and asks again: nothing was done.
export async function ask(method, path, body, seconds = 20, more = {}) {
  if (replayed) {
    if (method === "GET" && replayed.has(path)) return structuredClone(replayed.get(path));
    throw new Refusal(404, "not_kept", "This is not kept.");
  }
  try {
    const value = await askOnce(method, path, body, seconds, more);
    if (method === "GET") note(path, value);
    return value;
  } catch (error) {
    if (!(error instanceof Refusal) || error.status !== 401 || !await renew()) throw error;
    return askOnce(method, path, body, seconds, more);
  }
}

async function askOnce(method, path, body, seconds, more) {
  let response, text;
  const isFile = body instanceof Blob;
  try {
    response = method === "GET" ? await taken(path, seconds) : null;
    response ??= await fetch(path.startsWith("/") ? path : `/hubpair/v1/${path}`, {
      method, cache: "no-store", redirect: "error", signal: AbortSignal.timeout(seconds * 1000),
      headers: { Accept: "application/json", ...(body && !isFile && { "Content-Type": "application/json" }), ...more },
      body: body && !isFile ? JSON.stringify(body) : body,
    });
    text = await bounded(response);
  } catch (error) {
    if (error instanceof Refusal) throw error;
    throw new Away(error.message, error.name === "TimeoutError");
  }
  let value = null;
  try {
    if (text !== "") value = JSON.parse(text);
  } catch {
    // A stock server refuses with HTML now and then; only an answer that should say something is broken.
    if (response.ok) throw new Refusal(502, "malformed", "The hub’s answer cannot be read.");
  }
  if (response.ok) return value;
  const isOurs = typeof value?.error === "string";
  // “hubpair open” answers, and the hub behind it does not.
  if (value?.error === "hub_away") throw new Away(value.message);
  const message = isOurs && typeof value.message === "string" ? value.message : refusalText(response.status, value);
  throw new Refusal(response.status, isOurs ? value.error : "upstream", message,
    typeof value?.hint === "string" ? value.hint : null);
}

// What start.js has asked for before this file was there; null if it has not, or got no answer. A hub that is known has
// less time (App).
function taken(path, seconds) {
  const answer = globalThis.early?.get(path);
  globalThis.early?.delete(path);
  return answer && Promise.race([answer, new Promise((_, late) => {
    setTimeout(() => late(new DOMException("", "TimeoutError")), seconds * 1000);
  })]);
}

// In the words of the server behind the hub, as far as it has any.
function refusalText(status, value) {
  const { exception, details } = value?.error ?? {};
  if (status === 404 && details?.type !== "plugin") return t("The house does not know this appliance any more.");
  const more = Object.values(details ?? {}).filter((each) => typeof each === "string").join(", ");
  const words = [typeof exception === "string" ? exception : null, more || null].filter(Boolean).join(": ").slice(0, 200);
  return words === "" ? t("The server of the house refuses ({0}).", status)
    : t("The server of the house refuses ({0}): {1}", status, words);
}

async function bounded(response) {
  if (!response.body) return "";
  const reader = response.body.getReader(), decoder = new TextDecoder();
  let [text, count] = ["", 0];
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return text + decoder.decode();
    count += value.byteLength;
    if (count > maximumByteCount) {
      reader.cancel();
      throw new Refusal(502, "malformed", "The hub’s answer is too large.");
    }
    text += decoder.decode(value, { stream: true });
  }
}

// One of the hub's own paths. Null where this hub has none: an older one, or without a household.
export async function own(path, more = {}) {
  try {
    return await ask("GET", path, undefined, 20, more);
  } catch (error) {
    const isNone = error instanceof Refusal && [404, 403, 405, 503].includes(error.status);
    if (isNone && !error.isStranger && error.word !== "busy") return null;
    throw error;
  }
}

// The array in an answer: by itself, or under this key. Items that are no objects are left out.
export function list(value, key) {
  return array(Array.isArray(value) ? value : value?.[key]).filter((item) => item !== null && typeof item === "object");
}

export const array = (value) => (Array.isArray(value) ? value : []);

// A part of a path; names have any characters.
export function part(text) { return encodeURIComponent(text).replace(/'/g, "%27"); }

// A stream that is opened again when it breaks off, as long as it is wanted.
//
// The browser itself goes on after a broken connection. After an answer that is no stream (the hub restarts) it
// gives up; then it is tried again later. A connection that is dead without having ended shows by its silence: a hub
// beats every two seconds, and two beats that are missing are told.
export class Stream {
  #path; #take; #told; #source = null; #timer = null; #wait = 2000; #last = ""; #silence = null; #hasBeat = false;

  constructor(path, take, told = () => {}) { [this.#path, this.#take, this.#told] = [path, take, told]; }

  open() {
    if (this.#source || this.#timer) return;
    const source = new EventSource(this.#path + (this.#last === "" ? "" : `?after=${part(this.#last)}`));
    this.#source = source;
    // What has been heard is kept as the place to go on, also by another connection.
    const take = (event) => {
      if (source !== this.#source) return;
      if (event.lastEventId !== "") this.#last = event.lastEventId;
      if (event.type === "alive") this.#hasBeat = true;
      this.#listen(silence);
      try {
        this.#take(JSON.parse(event.data), event.type);
      } catch (error) {
        if (!(error instanceof SyntaxError)) throw error;
      }
    };
    for (const type of ["message", "acknowledged", "repeated", "state", "reset", "alive"]) {
      source.addEventListener(type, take);
    }
    source.onopen = () => { this.#wait = 2000; this.#listen(silence); this.#told(true); };
    this.#listen(2 * silence);
    source.onerror = () => {
      if (source !== this.#source) return;
      this.#listen(2 * silence);
      this.#told(false);
      if (source.readyState !== EventSource.CLOSED) return;
      this.#source = null;
      // Perhaps since its session was over.
      renew();
      this.#timer = setTimeout(() => { this.#timer = null; this.open(); }, this.#wait);
      this.#wait = Math.min(this.#wait * 2, 60000);
    };
  }

  // An older hub has no heartbeat, and may be silent.
  #listen(time) {
    clearTimeout(this.#silence);
    if (this.#hasBeat) this.#silence = setTimeout(() => this.#miss(), time);
  }

  #miss() {
    this.#close();
    this.#told(false, true);
    this.open();
  }

  close() {
    this.#close();
    this.#told(false);
  }

  #close() {
    clearTimeout(this.#silence);
    clearTimeout(this.#timer);
    this.#timer = null;
    this.#source?.close();
    this.#source = null;
  }
}
