// Keeps the session of a browser that has a key of its own while the page is open, and lets it leave. A browser with
// a certificate, or behind “hubpair open”, has no such key, and nothing happens here.

import { forgetAll } from "./app.js";
import { fingerprint, load, renew, request } from "./key.js";
import { t } from "./text.js";

// A session lives for 10 minutes.
const pause = 240000;

let last = 0;

async function keep() {
  if (Date.now() - last < pause - 1000 || document.visibilityState === "hidden") return;
  if (await renew()) last = Date.now();
}

function button(words, act, kind) {
  const node = document.createElement("button");
  node.type = "button";
  node.textContent = words;
  if (kind) node.className = kind;
  node.addEventListener("click", act);
  return node;
}

async function leave(place) {
  try {
    const answer = await request("DELETE", "device");
    // Whom the hub does not know any more has left.
    if (answer.code !== 200 && answer.code !== 401 && answer.code !== 403) throw new Error(answer.message);
    await forgetAll();
    location.replace("/hubpair/");
  } catch {
    place.replaceChildren(`${t("The hub does not answer.")} `, button(t("Try again"), () => leave(place)));
  }
}

function offerToLeave(key) {
  const place = document.createElement("footer");
  place.className = "leave";
  const ask = () => place.replaceChildren(
    `${t("This browser forgets its key, and needs a new code to come in again.")} `,
    button(t("Leave"), () => leave(place), "danger"), " ", button(t("Stay"), offer));
  const offer = () => place.replaceChildren(
    `${t("This browser is {0}.", fingerprint(key.pin))} `, button(t("Leave this hub"), ask));
  offer();
  document.getElementById("main").after(place);
}

// This browser has come in; see enter.js.
sessionStorage.removeItem("hubpair-entered");
const key = await load().catch(() => null);
if (key) {
  offerToLeave(key);
  // Another port of this host may have put the cookie of somebody else in place of this browser's own.
  const now = await request("GET", "device").catch(() => null);
  if (now && now.device !== fingerprint(key.pin)) await renew();
  setInterval(keep, pause);
  document.addEventListener("visibilitychange", keep);
  last = Date.now() - pause / 2;
}
