// Lets a stranger's browser in: with the code in the address, in a field, or before the camera.

// First: it takes the code out of the address while all else is still being loaded.
import { brought } from "./brought.js";
import { isPinning, register } from "./app.js";
import { base64, fingerprint, forget, fromBase64, load, makeKey } from "./key.js";
import { openSession, request, save, sign, transcript } from "./key.js";
import { NoCode, readCode } from "./read.js";
import { m, t } from "./text.js";

const way = document.getElementById("way");

const hubName = document.querySelector("h1").textContent;

function element(tag, words, more = {}) {
  return Object.assign(document.createElement(tag), words === null ? {} : { textContent: words }, more);
}

function say(words, ...more) {
  const line = element("p", null, { role: "status" });
  line.append(element("strong", words));
  way.replaceChildren(line, ...more);
}

const button = (words, act) => element("button", words, { type: "button", onclick: act });

// MARK: What the hub says

const words = {
  ticket_expired: m("This code has run out. Ask for a new one."),
  ticket_unknown: m("This hub does not know the code: it was taken back, or a newer label took its place. Ask for a new one."),
  bad_proof: m("The code is not this hub’s, or somebody stands between this browser and the hub."),
  too_many_attempts: m("Too many attempts have failed. Wait 10 minutes, or ask for a new code."),
  not_approved: m("The owner has refused this browser or taken its access back. Ask for a code for one device."),
  unavailable: m("The hub cannot write down who comes in now. Try again later."),
  other_hub: m("Another hub answers here than the one that let this browser in, or it was set up anew. Ask its owner for a code."),
};

function refusal(answer) {
  if (answer.error === "ticket_used") return t("This code has been used already: {0}. Ask for a new one.", answer.message);
  return answer.error in words ? t(words[answer.error])
    : t("The hub refuses: {0}.", answer.message ?? answer.code);
}

// MARK: The session

async function goOn() {
  // Who comes back here at once has no cookie.
  const before = Number(sessionStorage.getItem("hubpair-entered"));
  sessionStorage.setItem("hubpair-entered", Date.now());
  if (Date.now() - before < 10000) {
    return say(t("The hub has let this browser in, but the browser keeps no cookies for this address. Allow them, and load this page again."));
  }
  location.replace(location.pathname + location.search);
}

async function signIn(key, code) {
  const answer = await openSession(key);
  if (answer.code === 200) return goOn();
  if (answer.error === "challenge_expired") return say(t("The hub’s answer came too late."), button(t("Try again"), start));
  if (answer.status === "pending") return wait(key);
  if (code) return offer(code);
  if (answer.status === "expired") {
    return field(t("The time for which this browser was let in is over. The owner can extend it, or make a new code."));
  }
  if (answer.status === "unknown") {
    await forget();
    return field(t("The hub does not know this browser any more. Ask for a new code."));
  }
  return field(refusal(answer));
}

function wait(key) {
  const shown = element("p", null);
  shown.append(t("The owner compares this with what stands there:"), " ", element("code", fingerprint(key.pin)));
  say(t("This browser asks to be let in. The owner has to approve it."), shown);
  const look = setInterval(async () => {
    const answer = await openSession(key).catch(() => null);
    if (!answer || answer.status === "pending") return;
    clearInterval(look);
    if (answer.code === 200) goOn();
    else field(answer.status === "unknown" ? t("Nobody has answered in time. Ask again.") : refusal(answer));
  }, 2000);
}

// MARK: The exchange

async function derive(secret, info, count) {
  const base = await crypto.subtle.importKey("raw", secret, "HKDF", false, ["deriveBits"]);
  const how = { name: "HKDF", hash: "SHA-256", salt: new Uint8Array(), info: new TextEncoder().encode(info) };
  return new Uint8Array(await crypto.subtle.deriveBits(how, base, 8 * count));
}

// The key is kept before it is used, and what was sent with it, so that an answer that is lost is asked for again.
async function prepare(hub, ticket, name) {
  const key = await load().catch(() => null) ?? await makeKey();
  const last = key.attempt;
  if (!last || last.ticket !== base64(ticket) || last.name !== name) {
    key.attempt = { ticket: base64(ticket), name, nonce: crypto.getRandomValues(new Uint8Array(16)) };
  }
  key.hub = hub;
  await save(key);
  navigator.storage?.persist?.().catch(() => {});
  return key;
}

async function pair(code, name) {
  const told = await request("GET", "hub");
  if (code.pin && told.pin && ![told.pin, ...told.past ?? []].includes(base64(code.pin))) {
    return field(t("This is a code of another hub, {0}. Point the camera at this hub’s code.", fingerprint(code.pin)));
  }
  const hub = code.pin ?? fromBase64(told.pin);
  const ticket = await derive(code.secret, "hubpair/1 ticket", 8);
  const key = await prepare(hub, ticket, name);
  const sealing = await crypto.subtle.importKey("raw", await derive(code.secret, "hubpair/1 proof", 32),
    { name: "HMAC", hash: "SHA-256" }, false, ["sign", "verify"]);
  const { nonce } = key.attempt;
  const whole = (role, hubNonce) => transcript("hubpair/1", role, ticket, hub, key.pin, nonce, hubNonce, name);
  const message = await whole("device", "");
  const answer = await request("POST", "pair", {
    ticket: base64(ticket), name, nonce: base64(nonce), key: base64(key.spki),
    proof: base64(new Uint8Array(await crypto.subtle.sign("HMAC", sealing, message))),
    signature: await sign(key, message),
  });
  if (answer.code !== 200 && answer.code !== 202) {
    // Perhaps by this browser itself.
    const now = answer.error === "ticket_used" ? await openSession(key) : answer;
    if (now.code === 200) return goOn();
    return answer.error === "name_invalid" ? offer(code, refusal(answer)) : field(refusal(answer));
  }
  const isProven = await crypto.subtle.verify("HMAC", sealing, fromBase64(answer.proof ?? ""),
    await whole("hub", fromBase64(answer.nonce ?? "")));
  if (!isProven || answer.hub?.id !== fingerprint(hub) || answer.device !== fingerprint(key.pin)) {
    await forget();
    return field(t("What answers here does not know the code: it is not the hub. Somebody may stand between."));
  }
  return signIn(key);
}

// MARK: What people see

function guessedName() {
  const agent = navigator.userAgent;
  const find = (names) => names.find(([pattern]) => pattern.test(agent))?.[1];
  const browser = find([[/Edg/, "Edge"], [/Firefox|FxiOS/, "Firefox"], [/SamsungBrowser/, "Samsung Internet"],
    [/Chrome|CriOS/, "Chrome"], [/Safari/, "Safari"]]) ?? "Browser";
  const system = find([[/iPhone/, "iPhone"], [/iPad/, "iPad"], [/Android/, "Android"], [/CrOS/, "Chromebook"],
    [/Windows/, "Windows"], [/Mac/, "Mac"], [/Linux/, "Linux"]]);
  return system ? t("{0} on {1}", browser, system) : browser;
}

async function attempt(act) {
  try {
    await act();
  } catch (error) {
    if (error instanceof NoCode) return field(error.message);
    if (error.name === "InvalidStateError" || error.name === "DataCloneError" || error.name === "SecurityError") {
      return say(t("This browser keeps no keys, perhaps since this is a private window. Open the page in another one."));
    }
    say(t("The hub does not answer."), button(t("Try again"), start));
  }
}

function form(label, input, words) {
  const form = element("form", null);
  const named = element("label", label);
  named.append(input);
  form.append(named, element("button", words, { className: "primary" }));
  return form;
}

// A code is there: one press.
function offer(code, problem) {
  const name = element("input", null, { value: guessedName(), required: true, maxLength: 63, autocomplete: "off" });
  const asking = form(t("Its name at the hub"), name, code.isLabel ? t("Ask to be let in") : t("Let this browser in"));
  asking.onsubmit = (event) => {
    event.preventDefault();
    say(t("Asking {0} …", hubName));
    attempt(() => pair(code, name.value.trim()));
  };
  say(problem ?? (code.isLabel ? t("With this label you can ask the owner to let this browser in.") : t("This code lets this browser in.")), asking);
  asking.querySelector("button").focus();
}

function field(problem) {
  const text = element("input", null, {
    required: true, autocomplete: "off", autocapitalize: "characters", spellcheck: false,
  });
  const asking = form(t("The code that the hub shows"), text, t("Go on"));
  asking.onsubmit = (event) => {
    event.preventDefault();
    const value = text.value;
    attempt(async () => offer(await readCode(value)));
  };
  const help = element("p", t("Point the camera app of this phone at the code on the hub’s screen or label, or type the code that stands beside it."), { className: "small" });
  say(problem ?? t("Let this browser in"), asking, ...camera(), help);
}

function camera() {
  if (!("BarcodeDetector" in window) || !navigator.mediaDevices) return [];
  return [button(t("Use the camera"), async (event) => {
    const start = event.target, video = element("video", null, { muted: true, playsInline: true });
    let stream;
    try {
      stream = await navigator.mediaDevices.getUserMedia({ video: { facingMode: "environment" } });
    } catch {
      return start.replaceWith(element("p", t("This browser gives no picture of a camera."), { className: "small" }));
    }
    start.replaceWith(video);
    video.srcObject = stream;
    await video.play();
    const reader = new BarcodeDetector({ formats: ["qr_code"] });
    while (video.isConnected) {
      const found = await reader.detect(video).catch(() => []);
      const codes = await Promise.all(found.map((each) => readCode(each.rawValue).catch(() => null)));
      const code = codes.find(Boolean);
      if (code && video.isConnected) offer(code);
      await new Promise((done) => setTimeout(done, 100));
    }
    for (const track of stream.getTracks()) track.stop();
  })];
}

async function start() {
  await attempt(async () => {
    const code = brought === "" ? null : await readCode(brought);
    const key = await load().catch(() => null);
    if (key?.hub) {
      say(t("One moment …"));
      return signIn(key, code);
    }
    return code ? offer(code) : field();
  });
}

start();

// Only where the browser has checked the certificate it takes the page's worker.
register().then((isChecked) => {
  if (isChecked === null) return;
  const line = element("p", isChecked && isPinning ? t("This browser warns when another certificate answers here than now. Has it warned of this page already?") : isChecked ? t("This browser checks at each visit that it is the hub that answers.") : t("This browser cannot check yet that it is the hub that answers:"), { className: "small" });
  if (!isChecked || isPinning) {
    line.append(" ", element("a", t("Make this browser check the hub"), { href: "/hubpair/trust" }), ".");
  }
  way.after(line);
});
