// An alarm stands in front of everything, until somebody has seen it; with a sound for who wants one.

import { button, make, quoting, say, set, show, when } from "./dom.js";
import { kept, n, t, told } from "./text.js";

let context = null, timer = null;

// Two tones; a browser that lets no page sound before it was touched stays silent.
export function beep() {
  try {
    context ??= new AudioContext();
    if (context.state === "suspended") context.resume().catch(() => {});
    for (const [pitch, start] of [[880, 0], [660, 0.25]]) {
      const [tone, loudness] = [context.createOscillator(), context.createGain()];
      tone.frequency.value = pitch;
      loudness.gain.setValueAtTime(0.25, context.currentTime + start);
      loudness.gain.exponentialRampToValueAtTime(0.001, context.currentTime + start + 0.24);
      tone.connect(loudness).connect(context.destination);
      tone.start(context.currentTime + start);
      tone.stop(context.currentTime + start + 0.25);
    }
  } catch {} // no sound, and the alarm is seen all the same
}

export class Front {
  #app; #dialog = null; #list; #more;
  // Those that somebody has seen here.
  #seen = new Set();

  constructor(app) { this.#app = app; }

  // Shows the alarms that are open and that nobody has looked at here.
  show() {
    const app = this.#app, { messages } = app;
    const fresh = messages.open.filter((each) => !this.#seen.has(each.id));
    if (fresh.length === 0) return this.#dialog?.close();
    if (!this.#dialog) this.#open();
    const key = fresh.map((each) => `${each.id} ${each.count ?? 1}`).join();
    if (this.#list.dataset.key === key) return;
    this.#list.dataset.key = key;
    const shown = fresh.slice(0, 3);
    this.#list.replaceChildren(...shown.map((message) => make("li", { dir: "auto" },
      make("b", quoting(told(String(message.text ?? "")))),
      make("span.words", [app.home.roomOf(message.device), when(message.last ?? message.time)].filter(Boolean).join(" · ")))));
    shown.forEach(async (message, index) => {
      const item = this.#list.children[index], picture = await app.messages.pictureOf(message).catch(() => null);
      if (picture && this.#dialog) item.append(picture.in(this.#dialog).node);
    });
    say(this.#more, messages.openCount > 3 ? t("and {0}", n(messages.openCount - 3, "more alarm", "more alarms")) : "");
    this.#sound();
  }

  #open() {
    const app = this.#app;
    this.#list = make("ul.list.bare", { role: "alert" });
    this.#more = make("p.words");
    const see = () => {
      for (const each of app.messages.open) this.#seen.add(each.id);
      this.#dialog.close();
    };
    const only = () => (app.messages.open.length === 1 ? app.messages.open[0] : null);
    const acknowledge = button(t("Acknowledge"), () => {
      const one = only();
      see();
      if (one) app.messages.acknowledge(one);
      else location.hash = "messages";
    }, "danger");
    set(acknowledge, "hidden", !app.may.has("arrange"));
    const look = button(t("Look"), () => {
      const one = only();
      see();
      location.hash = "messages";
      if (one) app.messages.details(one.id);
    });
    const dialog = show(".front", t("Alarm"), this.#list, this.#more,
      make("div.buttons", button(t("Later"), see), look, acknowledge));
    dialog.addEventListener("close", () => {
      for (const each of app.messages.open) this.#seen.add(each.id);
      clearInterval(timer);
      this.#dialog = timer = null;
    });
    this.#dialog = dialog;
  }

  #sound() {
    if (kept("sound") !== "1") return;
    beep();
    timer ??= setInterval(beep, 2000);
  }
}
