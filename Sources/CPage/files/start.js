// Starts the page. If one of its files has not come, on a connection that comes and goes, all are asked for again.

import("./page.js").catch(() => setTimeout(() => location.reload(), 3000));
