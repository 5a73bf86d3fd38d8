// Starts the page. If one of its files has not come, on a connection that comes and goes, all are asked for again.

// A code of somebody who is in already: no script needs it, and nobody should read it in the address.
if (/^#[0-9a-z]{40,}$/i.test(location.hash)) history.replaceState(null, "", location.pathname);

// What the page asks first is on its way since the document; see hub.js, which takes each answer once. Browsers take these for
// what the document has preloaded as long as no more is said of how to ask.
globalThis.early = new Map(["device", "hub", "states"].map((path) => {
  const answer = fetch(`/hubpair/v1/${path}`, { signal: AbortSignal.timeout(20000), headers: { Accept: "application/json" } });
  // Then the page asks again.
  return [path, answer.catch(() => null)];
}));

// Neither the style nor the rest of the document is waited for until here.
function begin() {
  import("./session.js").catch(() => {});
  import("./page.js").catch(() => setTimeout(() => location.reload(), 3000));
}
if (document.readyState === "loading") addEventListener("DOMContentLoaded", begin);
else begin();
