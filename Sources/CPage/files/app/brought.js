// The code in the address, taken out of it before anything else: it stays in no history, and nobody reads it over a
// shoulder.

export const brought = decoded(location.hash.slice(1));
if (location.hash !== "") history.replaceState(null, "", location.pathname + location.search);

// What is no UTF-8 stays as it stands, for the reader to name.
function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
