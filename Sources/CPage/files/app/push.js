// Messages to this browser while the page is closed (Web Push), if the owner allows it and this device wants it.

import { button, make, sentence, toast } from "./dom.js";
import { array, ask, own } from "./hub.js";
import { m, t } from "./text.js";

const kinds = { alarm: m("Alarms"), notification: m("Notifications") };

// Fills a part of a dialog. It stays empty where there is nothing to choose.
export async function showPush(app, place) {
  if (app.isChecked !== true || !("PushManager" in window)) return;
  const push = await own("push").catch(() => null);
  if (push === null) return;
  const isOwner = app.may.has("administer");
  const decide = async (act) => {
    try {
      await act();
    } catch (error) {
      toast(error.name === "NotAllowedError" ? t("The browser does not allow it. Its settings for this page do.")
        : sentence(error.message), "fault");
    }
    await showPush(app, place);
  };
  const allow = (on) => decide(() => ask("PUT", "push/hub", { on }));
  const chosen = new Set(array(push.kinds));
  const choices = Object.entries(kinds).map(([kind, word]) => {
    const input = make("input", { type: "checkbox", onchange: () => decide(() => {
      if (input.checked) chosen.add(kind);
      else chosen.delete(kind);
      return choose(push, [...chosen]);
    }) });
    input.checked = chosen.has(kind);
    return make("label.sound", input, make("span", t(word)));
  });
  place.replaceChildren(...[
    make("p", make("b", t("While this page is closed, tell this device:"))),
    ...(push.on ? choices : []),
    make("p.words", push.on ? t("The browser’s maker passes it on, and learns when this house tells something, but not what.")
      : isOwner ? t("For that the hub talks to the browser’s maker, who learns when this house tells something, but not what.")
      : t("The owner has not allowed that.")),
    isOwner ? make("div.buttons.start", push.on ? button(t("Forbid it for all devices"), () => allow(false))
      : button(t("Allow it for all devices"), () => allow(true))) : null,
  ].filter(Boolean));
}

async function choose(push, wanted) {
  const { pushManager } = await navigator.serviceWorker.ready;
  if (wanted.length === 0) {
    await ask("DELETE", "push");
    await (await pushManager.getSubscription())?.unsubscribe();
    return;
  }
  const how = { userVisibleOnly: true, applicationServerKey: push.key };
  const subscription = await pushManager.subscribe(how).catch(async (error) => {
    // Of another hub, or of this one before it was set up anew.
    if (error.name !== "InvalidStateError") throw error;
    await (await pushManager.getSubscription())?.unsubscribe();
    return pushManager.subscribe(how);
  });
  const { endpoint, keys } = subscription.toJSON();
  await ask("PUT", "push", { endpoint, key: keys.p256dh, auth: keys.auth, kinds: wanted });
}
