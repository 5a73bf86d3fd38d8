// Which devices may use a web service behind the hub. Only owners see it.

import { button, called, make, Part, Row, say, sentence, set, show, toast } from "./dom.js";
import { array, ask, list, part } from "./hub.js";
import { n, t } from "./text.js";

export class ServiceRights {
  #devices = []; #services = [];

  constructor() {
    this.part = new Part(t("Services"), () => new ServiceRow(this), "");
    this.node = this.part.node;
  }

  // `answer`: of "services/rights"; null from an older hub. `devices`: all that the hub knows.
  show(answer, devices) {
    this.#services = list(answer, "services");
    this.#devices = devices.filter((each) => each.status === "approved");
    set(this.node, "hidden", this.#services.length === 0);
    this.part.show(this.#services, (each) => each.port);
  }

  choose(service) {
    const boxes = this.#devices.map((device) => {
      const box = make("input", { type: "checkbox", onchange: () => this.#set(service, device, box) });
      box.checked = array(service.may).includes(device.device);
      return make("label", box, make("span", { dir: "auto" }, String(device.name)));
    });
    const dialog = show("", t("Who may use {0}", called(service.name)), make("p.details", t("It counts at once, whatever the device’s role.")),
      make("div.checks", ...boxes), make("div.buttons", button(t("Close"), () => dialog.close())));
  }

  async #set(service, device, box) {
    const use = box.checked;
    set(box, "disabled", true);
    try {
      const { service: now } = await ask("PUT", `services/${service.port}/devices/${part(device.device)}`, { use });
      service.may = array(now?.may);
      this.part.show(this.#services, (each) => each.port);
    } catch (error) {
      toast(sentence(error.message), "fault");
    } finally {
      box.checked = array(service.may).includes(device.device);
      set(box, "disabled", null);
    }
  }
}

class ServiceRow extends Row {
  constructor(rights) {
    const change = button(t("Who may"), () => rights.choose(this.record));
    set(change, "aria-haspopup", "dialog");
    super("plug", change);
    this.change = change;
  }
  update(service) {
    this.record = service;
    say(this.name, String(service.name));
    say(this.words, t("{0} may use it", n(array(service.may).length, "device", "devices")));
    set(this.change, "aria-label", t("Who may use {0}", called(service.name)));
  }
}
