// The key of this browser, by which hubs know it, and its session.
//
// The key cannot be taken out of the browser: what is kept is a handle to it. Protocol.md has the messages.

const utf8 = new TextEncoder();
const encoded = (value) => (typeof value === "string" ? utf8.encode(value) : value);

export const base64 = (bytes) =>
  btoa(String.fromCharCode(...bytes)).replace(/\+/g, "-").replace(/\//g, "_").replace(/=/g, "");
export const fromBase64 = (text) =>
  Uint8Array.from(atob(text.replace(/-/g, "+").replace(/_/g, "/")), (letter) => letter.charCodeAt(0));

export const sha256 = async (bytes) => new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));

// SHA-256 over fields, each after its length in 16 bits.
export function transcript(...fields) {
  const bytes = fields.flatMap((field) => {
    const field8 = encoded(field);
    return [field8.length >> 8, field8.length & 255, ...field8];
  });
  return sha256(Uint8Array.from(bytes));
}

export const isSame = (one, other) => one.length === other.length && one.every((byte, at) => byte === other[at]);

export const alphabet = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

export function fingerprint(pin) {
  const bits = [...pin.slice(0, 10)].map((byte) => byte.toString(2).padStart(8, "0")).join("");
  return bits.match(/.{5}/g).map((five) => alphabet[parseInt(five, 2)]).join("").match(/.{4}/g).join("-");
}

// { secret: CryptoKey, spki, pin, hub, attempt }: `hub` is the pin of the hub that it was made for. Beside it lies how
// the house stood last, see app.js.
function use(mode, act) {
  return new Promise((done, fail) => {
    const opening = indexedDB.open("hubpair", 1);
    opening.onupgradeneeded = () => opening.result.createObjectStore("keys");
    opening.onerror = () => fail(opening.error);
    opening.onsuccess = () => {
      const database = opening.result, change = database.transaction("keys", mode);
      const asked = act(change.objectStore("keys"));
      change.oncomplete = () => { database.close(); done(asked.result); };
      change.onabort = change.onerror = () => { database.close(); fail(change.error); };
    };
  });
}

export const load = (name = "key") => use("readonly", (keys) => keys.get(name));
export const save = (value, name = "key") => use("readwrite", (keys) => keys.put(value, name));
// Without a name, all.
export const forget = (name) => use("readwrite", (keys) => (name ? keys.delete(name) : keys.clear()));

export async function makeKey() {
  const pair = await crypto.subtle.generateKey({ name: "ECDSA", namedCurve: "P-256" }, false, ["sign", "verify"]);
  const spki = new Uint8Array(await crypto.subtle.exportKey("spki", pair.publicKey));
  return { secret: pair.privateKey, spki, pin: await sha256(spki) };
}

export async function sign(key, message) {
  const how = { name: "ECDSA", hash: "SHA-256" };
  return base64(new Uint8Array(await crypto.subtle.sign(how, key.secret, message)));
}

// The hub's answer: { status, error, message, … }. Throws if there is none.
export async function request(method, path, body) {
  const response = await fetch(`/hubpair/v1/${path}`, {
    method, cache: "no-store", redirect: "error", signal: AbortSignal.timeout(20000),
    headers: { Accept: "application/json", ...(body && { "Content-Type": "application/json" }) },
    body: body && JSON.stringify(body),
  });
  return { ...await response.json().catch(() => ({})), code: response.status };
}

// Signs for a session; the hub's answer sets a cookie, which no script sees. `error` is "other_hub" if another key
// answers than the one that let this browser in.
export async function openSession(key) {
  const shown = base64(key.spki);
  const first = await request("POST", "session", { key: shown });
  if (!first.challenge) return first;
  // The hub may have another key since.
  if (![first.hub?.pin, ...first.hub?.past ?? []].includes(base64(key.hub))) return { code: 403, error: "other_hub" };
  const challenge = fromBase64(first.challenge);
  const signature = await sign(key, await transcript("hubpair/1 session", key.hub, key.pin, challenge));
  return request("POST", "session", { key: shown, challenge: first.challenge, signature });
}

let renewal = null;

// Begins a new session if this browser has a key of its own; says whether it has one now. All who ask at a time share
// one.
export function renew() {
  renewal ??= (async () => {
    try {
      const key = await load();
      return Boolean(key) && (await openSession(key)).code === 200;
    } catch {
      return false;
    } finally {
      renewal = null;
    }
  })();
  return renewal;
}
