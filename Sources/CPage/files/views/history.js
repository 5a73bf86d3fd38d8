// How an appliance was, or the house: a chart, a table, and a file for a spreadsheet.

import { button, called, make, sentence, show, toast, when } from "./dom.js";
import { ask, list, part } from "./hub.js";
import { m, n, t } from "./text.js";

const space = "http://www.w3.org/2000/svg";
const day = 86400000;
const spans = [["1", m("A day")], ["7", m("A week")], ["30", m("A month")]];
// So many rows are shown; the file has all.
const shown = 200;
// Of a house what has changed most often is drawn.
const drawn = 8;
const most = 20000;

// All changes since then, page by page.
async function read(house, appliance, days) {
  const since = new Date(Date.now() - days * day).toISOString().replace(/\.\d+Z$/, "Z");
  const of = appliance ? `device=${part(appliance.id)}&` : "";
  const rows = [];
  let more = true;
  while (more && rows.length < most) {
    const answer = await ask("GET", house.path(`states/history?${of}since=${since}&limit=5000&after=${rows.at(-1)?.id ?? 0}`));
    const next = list(answer, "history");
    rows.push(...next);
    more = answer?.more === true && next.length > 0;
  }
  return rows;
}

function svg(tag, attributes, ...parts) {
  const element = document.createElementNS(space, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...parts);
  return element;
}

// Steps: a state stays until the next one.
function chart(name, activator, rows, days, word) {
  const [width, height] = [640, activator.isLevel ? 150 : 60];
  const end = Date.now(), start = end - days * day;
  const level = (state) => (typeof state === "boolean" ? Number(state) : Number.isFinite(state) ? Math.min(1, Math.max(0, state)) : null);
  const x = (time) => Math.max(0, Math.min(width, (time - start) / (end - start) * width));
  const y = (value) => height - 6 - value * (height - 12);
  const points = [];
  const first = rows[0]?.before ?? activator.state;
  let last = level(first);
  if (last !== null) points.push([0, y(last)]);
  for (const row of rows) {
    const value = level(row.state), at = x(new Date(row.time).getTime());
    if (value === null) continue;
    if (last !== null) points.push([at, y(last)]);
    points.push([at, y(value)]);
    last = value;
  }
  if (last !== null) points.push([width, y(last)]);
  const line = points.map(([one, other]) => `${one.toFixed(1)},${other.toFixed(1)}`).join(" ");
  const values = [...rows.map((row) => row.state), first].filter((each) => typeof each === "number");
  const range = values.length > 0 ? `${word(Math.min(...values))} – ${word(Math.max(...values))}` : n(rows.length, "change", "changes");
  const label = `${name}: ${range}`;
  return make("figure.chart", make("figcaption", { dir: "auto" }, make("b", name), " ", range),
    svg("svg", { viewBox: `0 0 ${width} ${height}`, preserveAspectRatio: "none", role: "img", "aria-label": label },
      svg("polygon", { points: `0,${height} ${line} ${width},${height}` }), svg("polyline", { points: line })));
}

const cell = (text) => (/[",\n\r;]/.test(text) ? `"${text.replace(/"/g, '""')}"` : text);
// A name must not be a formula where the file is opened.
const safe = (text) => cell(/^[=+\-@\t\r]/.test(text) ? `'${text}` : text);

function save(name, rows, words) {
  const lines = [["time", "appliance", "activator", "state", "meaning"].join(",")];
  for (const row of rows) {
    const [appliance, activator, word] = words(row);
    lines.push([row.time, safe(appliance), safe(activator), cell(JSON.stringify(row.state)), safe(word)].join(","));
  }
  const file = URL.createObjectURL(new Blob([`${lines.join("\r\n")}\r\n`], { type: "text/csv" }));
  make("a", { href: file, download: `${name.replace(/[^\p{L}\p{N} _-]/gu, "_")}.csv` }).click();
  setTimeout(() => URL.revokeObjectURL(file), 10000);
}

// What is drawn of an appliance, or of the house: {name, appliance, activator, rows}. What the hub has seen for the first
// time has not changed by that.
function lanes(house, appliance, rows) {
  const parts = new Map();
  for (const row of rows) {
    const key = `${row.device} ${row.activator}`;
    if (!parts.has(key)) parts.set(key, []);
    parts.get(key).push(row);
  }
  const all = (appliance ? [appliance] : [...house.appliances.values()]).flatMap((one) => one.activators
    .filter((each) => each.isSwitch || each.isLevel).map((activator) => {
      const rows = parts.get(`${one.id} ${activator.id}`) ?? [];
      const name = appliance ? activator.name : one.activators.length === 1 ? one.name : `${called(one.name)}, ${called(activator.name)}`;
      return { name, appliance: one, activator, rows, count: rows.filter((row) => (row.before ?? null) !== null).length };
    }));
  return appliance ? all : all.filter(({ count }) => count > 0).sort((one, other) => other.count - one.count);
}

// appliance: null for the whole house.
export function showHistory(app, appliance) {
  const { house } = app;
  const title = appliance ? t("History: {0}", called(appliance.name)) : t("History of the house");
  const body = make("div.history");
  const choice = make("select", { "aria-label": t("How far back") },
    ...spans.map(([value, text]) => make("option", { value }, t(text))));
  let rows = [];
  const words = (row) => {
    const known = house.appliances.get(String(row.device));
    const activator = known?.activators.find((each) => each.id === String(row.activator));
    const word = activator ? known.word(activator, row.state) : JSON.stringify(row.state);
    return [known?.name ?? String(row.device), activator?.name ?? String(row.activator), String(word)];
  };
  const draw = async () => {
    body.replaceChildren(make("p.words", { role: "status" }, t("Asking the hub …")));
    const days = Number(choice.value);
    try {
      rows = await read(house, appliance, days);
    } catch (error) {
      return body.replaceChildren(make("p.warning", { role: "alert" }, sentence(error.message)));
    }
    const now = appliance && (house.appliances.get(appliance.id) ?? appliance);
    const all = lanes(house, now, rows), left = appliance ? 0 : Math.max(0, all.length - drawn);
    const charts = all.slice(0, all.length - left).map((each) => chart(each.name, each.activator, each.rows, days,
      (state) => each.appliance.word(each.activator, state)));
    const lines = rows.slice(-shown).reverse().map((row) => {
      const [name, part, word] = words(row);
      return make("tr", make("td", when(row.time)), appliance ? null : make("td", { dir: "auto" }, name),
        make("td", { dir: "auto" }, part), make("td", { dir: "auto" }, word));
    });
    const heads = [t("Time"), appliance ? null : t("Appliance"), t("What|of an appliance"), t("State")].filter(Boolean);
    body.replaceChildren(...charts,
      left > 0 ? make("p.words", t("What has changed most often is drawn; {0} more are in the table.", left)) : "",
      lines.length === 0 ? make("p.none", t("Nothing has changed in this time."))
      : make("div.scroll", { tabindex: 0, role: "region", "aria-label": t("Changes") },
        make("table", make("thead", make("tr", ...heads.map((each) => make("th", { scope: "col" }, each)))), make("tbody", ...lines))),
      rows.length > shown ? make("p.words", t("The last {0} of {1} changes; the file has all.", shown, rows.length)) : "");
  };
  choice.addEventListener("change", draw);
  const dialog = show(".wide", title, make("div.buttons.start", choice,
    button(t("Save as CSV"), () => (rows.length > 0 ? save(appliance?.name ?? "house", rows, words) : toast(t("Nothing has changed in this time."))))),
    body, make("div.buttons", button(t("Close"), () => dialog.close())));
  draw();
}
