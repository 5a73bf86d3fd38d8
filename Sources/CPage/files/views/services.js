// The web services behind the hub that this device may use: each has a port of its own, and so an origin of its own.

import { make } from "./dom.js";
import { list, own } from "./hub.js";
import { t } from "./text.js";

// Behind “hubpair open” this page has another host than the hub.
function address({ port, address: own }) {
  if (location.protocol !== "https:") return own;
  const url = new URL("/", location.href);
  url.port = port;
  return url.href;
}

// A service that did not let this browser in has sent it here. It has its session now, and goes back; once, since a
// browser that keeps no cookies would come again.
function goBack(services) {
  const wanted = new URLSearchParams(location.search).get("service");
  if (wanted === null) return;
  history.replaceState(null, "", location.pathname + location.hash);
  const service = services.find(({ port }) => String(port) === wanted);
  const before = Number(sessionStorage.getItem("hubpair-back"));
  if (!service || Date.now() - before < 10000) return;
  sessionStorage.setItem("hubpair-back", Date.now());
  location.assign(address(service));
}

export async function showServices(node) {
  const services = list(await own("services"), "services").filter((each) => Number.isInteger(each.port) && address(each));
  node.replaceChildren(...services.map((each) => make("a.chip", { href: address(each), rel: "noopener", dir: "auto" },
    String(each.name))));
  node.hidden = services.length === 0;
  goBack(services);
}

export const servicesNode = () => make("nav.chips.services", { hidden: true, "aria-label": t("Services") });
