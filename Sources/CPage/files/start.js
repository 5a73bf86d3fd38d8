// Starts the page. If one of its files has not come, on a connection that comes and goes, all are asked for again.

// A code of somebody who is in already: no script needs it, and nobody should read it in the address.
if (/^#[0-9a-z]{40,}$/i.test(location.hash)) history.replaceState(null, "", location.pathname);

import("./session.js").catch(() => {});
import("./page.js").catch(() => setTimeout(() => location.reload(), 3000));
