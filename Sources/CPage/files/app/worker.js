// Lets the page open while the hub does not answer. It keeps what the page is made of, which is the same for everybody,
// and no answer of the hub's: what the page shows meanwhile, the page itself keeps (app.js).

// Of this version of the hub; it puts them in here.
const files = ["/hubpair/page/*"];
const page = "/hubpair/";
const shell = `shell ${files[0].split("/")[3]}`;
// A hub that does not answer in this time is taken to be away, until the page hears of it.
const patience = 5000;

// Only a browser that is let in gets all of it: for others nothing is installed, nor kept.
addEventListener("install", (event) => event.waitUntil((async () => {
  if (!(await fetch(page)).ok) throw new Error("not let in");
  await (await caches.open(shell)).addAll([page, ...files]);
  await skipWaiting();
})()));

addEventListener("activate", (event) => event.waitUntil((async () => {
  for (const name of await caches.keys()) if (name !== shell) await caches.delete(name);
  await clients.claim();
})()));

const kept = async (path) => (await caches.open(shell)).match(path);

addEventListener("fetch", (event) => {
  const { request } = event, { origin, pathname, search } = new URL(request.url);
  if (request.method !== "GET" || origin !== location.origin) return;
  if (files.includes(pathname)) event.respondWith(kept(pathname).then((file) => file ?? fetch(request)));
  // The way to a service has a query, and the hub wants to see that a person goes it.
  else if (request.mode === "navigate" && pathname === page && search === "") event.respondWith(open(request));
});

// What the hub says, whatever it is: it may let this browser in no more.
async function open(request) {
  const asked = fetch(request), late = new Promise((done) => setTimeout(done, patience));
  const answer = await Promise.race([asked, late]).catch(() => null);
  return answer ?? await kept(page) ?? asked;
}

// The hub's own words, in the language of the page, which has put them down here.
const told = (text) => new Promise((done) => {
  const opening = indexedDB.open("hubpair", 1);
  // Without a page there is nothing, and nothing is made.
  opening.onupgradeneeded = () => opening.transaction.abort();
  opening.onerror = () => done(text);
  opening.onsuccess = () => {
    const database = opening.result, asked = database.transaction("keys").objectStore("keys").get("words");
    asked.onerror = () => { database.close(); done(text); };
    asked.onsuccess = () => {
      database.close();
      for (const [pattern, words] of asked.result ?? []) {
        const found = new RegExp(pattern).exec(text);
        if (found) return done(words.replace(/\{(\d)\}/g, (_, index) => found[Number(index) + 1]));
      }
      done(text);
    };
  };
});

// A message of the hub's, which nobody could read on the way.
addEventListener("push", (event) => event.waitUntil((async () => {
  let message = null;
  try {
    message = event.data?.json();
  } catch {
    // Not the hub's; a browser wants something shown all the same.
  }
  await registration.showNotification(String(message?.hub ?? "hubpair"), {
    body: await told(String(message?.text ?? "")), tag: `message ${message?.id}`, requireInteraction: message?.kind === "alarm",
    icon: files.find((each) => each.endsWith("/icon-192.png")),
  });
})()));

addEventListener("notificationclick", (event) => {
  event.notification.close();
  event.waitUntil((async () => {
    const [open] = await clients.matchAll({ type: "window" });
    if (!open) return clients.openWindow(`${page}#messages`);
    await open.focus();
    return open.navigate(`${page}#messages`);
  })());
});
