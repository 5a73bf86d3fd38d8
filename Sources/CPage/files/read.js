// The code in a text that a person brings: an address, a bare code or a typed one, in any disguise that a checksum
// allows. The command line reads the same.

import { alphabet, isSame, sha256 } from "./key.js";
import { t } from "./text.js";

export class NoCode extends Error {}

// Returns { secret, pin, isLabel }; a typed code has no pin. Throws NoCode, with words for people.
export async function readCode(text) {
  const plain = text.normalize("NFKC").replace(/[\p{Cf}\p{Mn}]/gu, "").trim();
  const parts = plain.split(/#|%23|:/);
  const letters = parts[parts.length - 1].replace(/[^\p{L}\p{N}]/gu, "").toUpperCase()
    .replace(/[IL]/g, "1").replace(/O/g, "0");
  if (letters === "") throw new NoCode(t("There is no code in it."));
  const isTyped = letters.length < 40;
  const count = letters.length;
  if (isTyped ? count !== 20 : count !== 80 && count !== 90) {
    throw new NoCode(isTyped ? t("A code to type has 20 letters and digits; this has {0}.", count)
      : t("A part of the code is missing, or it has too much."));
  }
  const values = [...letters].map((letter) => alphabet.indexOf(letter));
  if (values.includes(-1)) throw new NoCode(t("No code has one of these characters. U is in none."));
  const bits = (isTyped ? "0000" : "") + values.map((value) => value.toString(2).padStart(5, "0")).join("");
  const bytes = Uint8Array.from(bits.match(/.{8}/g), (eight) => parseInt(eight, 2));
  const content = bytes.slice(0, -2);
  if (!isSame((await sha256(content)).slice(0, 2), bytes.slice(-2))) {
    throw new NoCode(t("A character of the code is wrong. Compare it group by group, or scan it again."));
  }
  if (bytes[0] !== (isTyped ? 8 : 16) && (isTyped || bytes[0] !== 17)) {
    throw new NoCode(t("This code is made by a newer hubpair."));
  }
  if (isTyped) return { secret: bytes.slice(1, 11), pin: null, isLabel: false };
  return { secret: bytes.slice(6, 16), pin: bytes.slice(16, 48), isLabel: bytes[0] === 17 };
}
