// The hubs of this computer, where “hubpair open” shows the page: those on its network, pairing, use, forget.

import { button, called, confirm, make, Part, Row, say, sentence, set, show, toast } from "./dom.js";
import { ask, list, Stream } from "./hub.js";
import { m, t } from "./text.js";

const local = "/hubpair/local/";
// Between two pictures of the camera, and two questions whether the owner has decided; in milliseconds.
const lookTime = 300;
const askTime = 2000;

export class HubsView {
  #place = null; #isOpen = false; #known = [];
  // Null until the network has been searched.
  #near = null;

  constructor(app) {
    this.all = new Part(null, () => new HubRow(this), t("None yet. Pair with one below."));
    this.search = make("p.words", { role: "status" }, t("Looking on the network …"));
    this.stream = new Stream(`${local}network`, (told) => this.#take(told));
    app.streams.push(this.stream);
    this.file = make("input.hidden", {
      type: "file", accept: "image/*,application/pdf", onchange: () => this.#read(this.file.files[0]),
    });
    this.code = make("input", { autocomplete: "off", spellcheck: "false", required: true });
    this.label = make("span");
    this.result = make("p.words", { role: "status" });
    const send = (event) => {
      event.preventDefault();
      this.#pair(this.code.value);
    };
    this.node = make("section.view", { hidden: true }, make("h1", t("Hubs")), this.all.node, this.search,
      make("section.part", make("h2", t("Pair with a hub")),
        make("div.item.pair",
          make("label.drop", this.file, make("span", t("Drop a picture of the code here, or choose one"))),
          navigator.mediaDevices ? button(t("Use the camera"), () => this.#film()) : null,
          make("form.buttons", { onsubmit: send },
            make("label.field", this.label, this.code), make("button.primary", t("Pair"))),
          this.result)));
    this.#aim(null);
    // Dropped beside the field, the picture would take the place of the page.
    addEventListener("dragover", (event) => event.preventDefault());
    addEventListener("drop", (event) => {
      event.preventDefault();
      if (this.#isOpen) this.#read(event.dataTransfer.files[0]);
    });
    addEventListener("paste", (event) => { if (this.#isOpen) this.#read(event.clipboardData.files[0]); });
  }

  show() {
    this.stream.open();
    if (!this.#isOpen) this.load();
    this.#isOpen = true;
  }

  hide() {
    this.#isOpen = false;
    this.stream.close();
  }

  async load() { this.#list(await this.act("GET", "hubs")); }

  #list(answer) {
    if (!answer) return;
    this.#known = list(answer, "hubs");
    this.#draw();
  }

  #take(told) {
    if (told.note) return say(this.search, sentence(String(told.note)));
    this.#near = list(told, "hubs");
    this.#draw();
  }

  // Those of this computer, near or away, and then the others that are near. Only a key shows that both are one.
  #draw() {
    const others = [...this.#near ?? []];
    const isSame = (known, near) => (known.hub ? near.identity === "verified" && near.id === known.hub
      : near.unprotected && near.address === known.address);
    const rows = this.#known.map((known) => {
      const at = others.findIndex((near) => isSame(known, near));
      return { known, near: this.#near && (at < 0 ? false : others.splice(at, 1)[0]) };
    });
    this.all.show([...rows, ...others.map((near) => ({ known: null, near }))], ({ known, near }) => (
      known ? `known ${known.hub ?? known.name}` : `near ${near.id} ${near.name} ${near.address}`));
    if (this.#near) say(this.search, others.length > 0 ? "" : t("No other hub is on this network."));
  }

  // The answer; null if it is refused, and that has been said.
  async act(method, path, body, seconds) {
    try {
      return await ask(method, local + path, body, seconds);
    } catch (error) {
      this.#tell(sentence(error.message));
      return null;
    }
  }

  #tell(text) { say(this.result, text); }

  async use(hub) {
    if (await this.act("POST", "hubs/use", { hub: hub.hub })) this.#leave();
  }

  // What is shown was another hub's, all of it.
  #leave() {
    location.hash = "home";
    location.reload();
  }

  async forget(hub) {
    const text = t("The hub still lets this computer in, until its owner revokes it there.");
    if (!(await confirm(t("Forget {0}?", called(hub.name)), text, t("Forget")))) return;
    const answer = await this.act("POST", "hubs/forget", { hub: hub.hub ?? hub.name });
    if (!answer) return;
    if (hub.shown) return location.reload();
    toast(t("{0} is forgotten", called(hub.name)));
    this.#list(answer);
  }

  // Pair with this one: a typed code does not say which hub it is of.
  #aim(hub) {
    this.#place = hub?.address ?? null;
    say(this.label, hub ? t("Or type the code that {0} shows", called(hub.name)) : t("Or type the code that stands beside the picture"));
  }

  choose(hub) {
    this.#aim(hub);
    this.code.focus();
  }

  async #read(file) {
    if (!file) return;
    this.#tell(t("Reading the picture …"));
    const answer = await this.act("POST", "pictures", file, 60);
    this.file.value = "";
    if (answer) await this.#pair(answer.code);
  }

  async #pair(code) {
    this.#tell(t("Asking the hub …"));
    const answer = await this.act("POST", "pair", { code, at: this.#place }, 60);
    if (!answer) return;
    this.code.value = "";
    if (answer.status === "approved") return this.use(answer);
    this.#tell(t("{0} has to let this computer in. Its owner compares the fingerprint: {1}", called(answer.name), answer.device));
    this.load();
    while (this.#isOpen) {
      await new Promise((resolve) => setTimeout(resolve, askTime));
      try {
        await ask("POST", `${local}hubs/ask`, { hub: answer.hub });
        return this.use(answer);
      } catch (error) {
        if (!/has not approved/.test(error.message)) return this.#tell(sentence(error.message));
      }
    }
  }

  // Pictures of the camera go to hubpair's own reader, until one has a code or the dialog is closed.
  async #film() {
    let film;
    try {
      const video = { facingMode: "environment", width: { ideal: 1280 } };
      film = await navigator.mediaDevices.getUserMedia({ video });
    } catch (error) {
      return this.#tell(t("The camera cannot be used: {0}", error.message));
    }
    const video = make("video", { autoplay: true, muted: true, playsinline: true });
    video.srcObject = film;
    const dialog = show("", t("Hold the code before the camera"), video,
      make("form.buttons", { method: "dialog" }, make("button", t("Cancel"))));
    const canvas = make("canvas");
    let code = null;
    while (dialog.open && !code) {
      await new Promise((resolve) => setTimeout(resolve, lookTime));
      if (!video.videoWidth) continue;
      [canvas.width, canvas.height] = [video.videoWidth, video.videoHeight];
      canvas.getContext("2d").drawImage(video, 0, 0);
      const picture = await new Promise((resolve) => canvas.toBlob(resolve, "image/jpeg", 0.9));
      code = await ask("POST", `${local}pictures?quick`, picture).then((answer) => answer.code, () => null);
    }
    for (const track of film.getTracks()) track.stop();
    const isWanted = dialog.open;
    dialog.close();
    if (isWanted) await this.#pair(code);
  }
}

const states = {
  pending: m("waits for its owner"), unprotected: m("a stock hub, without protection"), unpaired: m("not paired"),
};

const identities = {
  verified: m("has shown the key that this computer is paired with"), claimed: m("only it says what it is"),
  impostor: m("not what it says: a paired hub has this name or fingerprint, and another key"),
};

class HubRow extends Row {
  constructor(view) {
    const use = button(t("Use"), () => view.use(this.known), "primary");
    const forget = button(t("Forget"), () => view.forget(this.known));
    const pair = button(t("Pair"), () => view.choose(this.near));
    super("home", use, forget, pair);
    [this.use, this.forget, this.pair] = [use, forget, pair];
  }
  // known: null for a hub that is only near. near: null while that is not known, and false if it is not.
  update({ known, near }) {
    [this.known, this.near] = [known, near];
    const name = String((known ?? near).name);
    say(this.name, name);
    const what = near ? [near.answers === false && t("does not answer"),
      near.unprotected ? t(states.unprotected) : identities[near.identity] && t(identities[near.identity])]
      : states[known.status] ? [t(states[known.status])] : [];
    const place = near ? t("near") : near === false ? t("not on this network") : "";
    const standing = known ? [known.shown && t("shown here"), known.default && !known.shown && t("the default"),
      near && known.status === "pending" && t(states.pending)] : [];
    say(this.words, [...standing, place, ...what, near ? near.address : known.address, known ? known.hub : near.id].filter(Boolean).join(" · "));
    set(this.node, "data-kind", near?.identity === "impostor" ? "alarm" : "note");
    set(this.use, "hidden", !known || known.shown || known.status !== "paired");
    set(this.forget, "hidden", !known);
    set(this.pair, "hidden", known !== null || near.paired || near.unprotected || near.identity === "impostor");
    for (const [each, words] of [[this.use, t("Use {0}", name)], [this.forget, t("Forget {0}", name)], [this.pair, t("Pair with {0}", name)]]) {
      set(each, "aria-label", words);
    }
  }
}
