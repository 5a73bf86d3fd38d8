// What a camera sees: loaded once it is in sight, again at a tap, and with its age. Nothing moves by itself.

import { called, make, say, sentence, set } from "./dom.js";
import { part } from "./hub.js";
import { renew } from "./key.js";
import { locale, t } from "./text.js";

// What has been out of sight for longer is loaded again when it is seen.
const longestAge = 60000;
const patience = 25000;

const ago = new Intl.RelativeTimeFormat(locale, { numeric: "always" });
const all = new Set();
setInterval(() => { for (const each of all) each.tellAge(); }, 5000);

const seen = new IntersectionObserver((entries) => {
  for (const { target, isIntersecting } of entries) if (isIntersecting) target.picture.see();
});

// The hub tells the type by the bytes, and it is one that runs nothing; the browser is given those bytes alone.
async function read(path, isAgain = false) {
  const answer = await fetch(path.startsWith("/") ? path : `/hubpair/v1/${path}`, {
    cache: "no-store", redirect: "error", signal: AbortSignal.timeout(patience),
  });
  if (answer.status === 401 && !isAgain && await renew()) return read(path, true);
  if (!answer.ok) {
    const words = await answer.json().catch(() => null);
    throw new Error(typeof words?.message === "string" ? words.message : t("There is no picture now."));
  }
  const bytes = await answer.blob();
  if (!bytes.type.startsWith("image/")) throw new Error(t("There is no picture now."));
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    [reader.onload, reader.onerror] = [() => resolve(reader.result), () => reject(reader.error)];
    reader.readAsDataURL(bytes);
  });
}

export class Picture {
  #path; #time = null; #isBusy = false; #isLasting;

  // name: of whose camera it is. isLasting: it was taken at an alarm, and stays.
  constructor(name, path, isLasting = false) {
    [this.#path, this.#isLasting] = [path, isLasting];
    this.image = make("img", { alt: t("What {0} sees", called(name)), hidden: true });
    this.words = make("span.words", { "aria-live": "off" });
    this.button = make("button.look", { "aria-label": t("Look again: {0}", called(name)), onclick: () => this.load() }, this.image);
    this.node = make("div.picture", isLasting ? this.image : this.button, this.words);
    this.node.picture = this;
    seen.observe(this.node);
    all.add(this);
  }

  static of(appliance, house) { return new Picture(appliance.name, house.path(`pictures/${part(appliance.id)}`)); }
  static at(message, name) { return new Picture(name, `messages/${part(String(message.id))}/picture`, true); }

  see() {
    if (this.#time === null || !this.#isLasting && Date.now() - this.#time > longestAge) this.load();
  }

  async load() {
    if (this.#isBusy) return;
    this.#isBusy = true;
    set(this.node, "aria-busy", "true");
    if (this.#time === null) say(this.words, t("Looking …|camera"));
    try {
      this.image.src = await read(this.#path);
      await this.image.decode();
      set(this.image, "hidden", null);
      this.#time = Date.now();
      this.tellAge();
    } catch (error) {
      // The last picture stays, and says how old it is.
      const age = this.#time === null ? "" : ` · ${this.#age}`;
      say(this.words, this.#isLasting ? t("There is no picture.") : `${sentence(error.message)}${age}`);
      if (this.#isLasting || this.#time === null) set(this.image, "hidden", true);
    } finally {
      this.#isBusy = false;
      set(this.node, "aria-busy", null);
    }
  }

  get #age() {
    const seconds = Math.round((Date.now() - this.#time) / 1000);
    return seconds < 5 ? t("just now") : seconds < 90 ? ago.format(-seconds, "second")
      : seconds < 5400 ? ago.format(-Math.round(seconds / 60), "minute") : ago.format(-Math.round(seconds / 3600), "hour");
  }

  tellAge() {
    if (this.#time !== null && !this.#isBusy) say(this.words, this.#isLasting ? "" : this.#age);
  }

  end() {
    all.delete(this);
    seen.unobserve(this.node);
    this.node.remove();
  }

  // For as long as the dialog is open.
  in(dialog) {
    dialog.addEventListener("close", () => this.end());
    return this;
  }
}
