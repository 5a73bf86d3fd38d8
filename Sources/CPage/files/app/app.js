// What makes the page an app: a worker that opens it while the hub does not answer, and how the house stood last.

import { fingerprint, forget, load, save } from "./key.js";

const path = "/hubpair/worker.js";
// What the page begins with; messages beside it.
const asked = new Set([
  "device", "hub", "states", "rooms", "scenes", "scenes/current", "armed", "preferences", "timers", "/devices/",
]);
const pause = 20000;

// Firefox registers a worker behind a warning, too: it keeps the certificate that a person has let pass, and warns of any
// other. So it checks at each visit but the first.
export const isPinning = "mozInnerScreenX" in window;

// Registers the worker. A browser does that only where it has checked the hub's certificate, so the answer also says
// whether it has: true, false, or null where that cannot be told.
let registered = null;
export function register() {
  if (location.protocol !== "https:" || !navigator.serviceWorker) return Promise.resolve(null);
  if (registered) return registered;
  // The only address that may become a script by its text; the browser takes the policy once.
  const policy = globalThis.trustedTypes?.createPolicy("worker", { createScriptURL: () => path });
  registered = navigator.serviceWorker.register(policy?.createScriptURL("") ?? path, { scope: "/hubpair/" })
    .then(() => true, (error) => (error.name === "SecurityError" ? false : null));
  return registered;
}

// MARK: The last states

const answers = new Map();
let last = 0;

// Only what people see when the page opens, and only where the page can open without the hub.
export function note(path, value) {
  if (asked.has(path)) answers.set(path, value);
}

export async function remember(messages) {
  if (!navigator.serviceWorker?.controller || Date.now() - last < pause) return;
  last = Date.now();
  const device = answers.get("device")?.device;
  await save({ device, at: last, answers: [...answers, ...messages] }, "house").catch(() => {});
}

// How the house stood when this device last saw it; null if it has not. What another device saw is nobody's here.
export async function recall() {
  const [house, key] = await Promise.all([load("house"), load()]).catch(() => []);
  if (!house || key && house.device !== fingerprint(key.pin)) return null;
  return { ...house, answers: new Map(house.answers), age: Math.max(0, Date.now() - house.at) };
}

export const forgetHouse = () => forget("house").catch(() => {});

// The worker, and all that is kept here.
export async function forgetAll() {
  await forget();
  for (const each of await navigator.serviceWorker?.getRegistrations?.() ?? []) await each.unregister();
  for (const name of globalThis.caches ? await caches.keys() : []) await caches.delete(name);
}
