// Requests to the hub, and its streams of events.

// The largest answer that is read: a hub that sends more is broken, and must not take the browser's memory.
const maximumByteCount = 16 << 20;

// The hub does not answer: it is off, or the network between is gone.
export class Away extends Error {}

// The hub answers that it will not, or not now. `word` is its error code.
export class Refusal extends Error {
  constructor(status, word, message, hint) {
    super(hint ? `${message} (${hint})` : message);
    this.status = status;
    this.word = word;
  }
  // True if this browser has no access any more.
  get isStranger() {
    return this.status === 401 || ["not_approved", "role_unknown", "no_certificate"].includes(this.word);
  }
}

// Sends a request; returns what the answer's JSON says, null for an empty one. A path without a slash in front is
// one of the hub's own.
export async function ask(method, path, body, seconds = 20, more = {}) {
  let response, text;
  const isFile = body instanceof Blob;
  try {
    response = await fetch(path.startsWith("/") ? path : `/hubpair/v1/${path}`, {
      method, cache: "no-store", redirect: "error", signal: AbortSignal.timeout(seconds * 1000),
      headers: { Accept: "application/json", ...(body && !isFile && { "Content-Type": "application/json" }), ...more },
      body: body && !isFile ? JSON.stringify(body) : body,
    });
    text = await bounded(response);
  } catch (error) {
    if (error instanceof Refusal) throw error;
    throw new Away(error.message);
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
  const message = isOurs && typeof value.message === "string" ? value.message : refusalText(response.status);
  throw new Refusal(response.status, isOurs ? value.error : "upstream", message,
    typeof value?.hint === "string" ? value.hint : null);
}

function refusalText(status) {
  return status === 404 ? "The house does not know this appliance any more."
    : `The server of the house refuses (${status}).`;
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
export async function own(path) {
  try {
    return await ask("GET", path);
  } catch (error) {
    if (error instanceof Refusal && [404, 403, 405, 503].includes(error.status) && !error.isStranger) return null;
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
// gives up; then it is tried again later.
export class Stream {
  #path; #take; #told; #source = null; #timer = null; #wait = 2000;

  constructor(path, take, told = () => {}) { [this.#path, this.#take, this.#told] = [path, take, told]; }

  open() {
    if (this.#source || this.#timer) return;
    const source = new EventSource(this.#path);
    this.#source = source;
    const take = (event) => {
      try {
        this.#take(JSON.parse(event.data), event.type);
      } catch (error) {
        if (!(error instanceof SyntaxError)) throw error;
      }
    };
    for (const type of ["message", "acknowledged", "repeated", "state", "reset"]) source.addEventListener(type, take);
    source.onopen = () => { this.#wait = 2000; this.#told(true); };
    source.onerror = () => {
      this.#told(false);
      if (source.readyState !== EventSource.CLOSED) return;
      this.#source = null;
      this.#timer = setTimeout(() => { this.#timer = null; this.open(); }, this.#wait);
      this.#wait = Math.min(this.#wait * 2, 60000);
    };
  }

  close() {
    clearTimeout(this.#timer);
    this.#timer = null;
    this.#source?.close();
    this.#source = null;
    this.#told(false);
  }
}
