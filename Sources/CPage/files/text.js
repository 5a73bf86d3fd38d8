// The texts of the page in the language of who reads it. English stands where a text is used; the tables of the other
// languages come from the files in Sources/CTexts/languages, and a test sees to it that no text is missing.

// Marks a text that is given to t() elsewhere.
export const m = (text) => text;

// In place of the path the hub puts what it has: { "de": "Deutsch" }.
const others = "/hubpair/page/languages";
export const languages = { "": m("As the browser says"), en: "English", ...others };

export const kept = (key) => {
  try {
    return localStorage.getItem(key);
  } catch {
    return null; // a browser that keeps nothing
  }
};
export const keep = (key, value) => {
  try {
    if (value) localStorage.setItem(key, value);
    else localStorage.removeItem(key);
  } catch {}
};

// What a stranger sees, the hub has written in a language that the browser asks for; that is all of one.
const written = document.getElementById("way") && document.documentElement.lang;
const wanted = [written || kept("language"), ...(navigator.languages ?? [])].filter(Boolean).map((each) => each.slice(0, 2));
export const language = wanted.find((each) => each === "en" || each in others) ?? "en";
const table = language in others
  ? await import("./words.js").then((module) => module.default[language], () => ({})) : {};
document.documentElement.lang = language;

// The text, with {0}, {1} replaced by these values. What stands after a bar tells two meanings apart: "Open|verb".
export function t(text, ...values) {
  const words = table[text] ?? text.split("|", 1)[0];
  return values.length === 0 ? words : words.replace(/\{(\d)\}/g, (_, index) => String(values[index] ?? ""));
}

// What the hub says of itself in messages comes in English; those of a rule have their owner's words.
const ownTexts = [
  m("{0} asks to be let in"), m("{0} was paired"), m("{0} was approved"), m("{0} was revoked"),
  m("the server behind the hub, {0}, does not answer"), m("the server behind the hub, {0}, answers again"),
  m("armed: {0} (scene {1}, {2})"), m("disarmed: {0} (scene {1}, {2})"), m("armed: {0}"), m("disarmed: {0}"),
  m("the scene {0} did not run ({1}): {2}"), m("{0} was not set in time: the hub came to it too late"),
  m("{0} was not set: guests leave it alone"), m("{0} was not set: what it waited for does not hold"), m("{0} was not set: {1}"),
  m("the disk of the hub is nearly full: {0} are free"), m("the disk of the hub has room again"),
  m("the clock of the hub is behind by {0}, or was ahead before"),
];

// Each as a pattern, and in the language of this page. The app's worker has them from here.
export const ownWords = ownTexts.map((text) => [
  `^${text.split(/\{\d\}/).map((each) => each.replace(/[.()]/g, "\\$&")).join("(.+?)")}$`, t(text),
]);

export function told(text) {
  for (const [pattern, words] of ownWords) {
    const found = new RegExp(pattern).exec(text);
    if (found) return words.replace(/\{(\d)\}/g, (_, index) => found[Number(index) + 1]);
  }
  return text;
}

// The locale of numbers and times: that of the browser, if it is of the language.
export const locale = (navigator.languages ?? []).find((each) => each.startsWith(language)) ?? language;

// A number and the word for so many: "1 lamp", "3 lamps".
export const n = (number, one, many) => `${number} ${t(number === 1 ? one : many)}`;
