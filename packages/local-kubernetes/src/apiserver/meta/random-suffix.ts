// No vowels, so that no words come out.
const LETTERS = "bcdfghjklmnpqrstvwxz2456789";

/** Five letters and digits that make a name of its own. */
export function randomSuffix(random: () => number): string {
  return Array.from({ length: 5 }, () => LETTERS[Math.floor(random() * LETTERS.length)]).join("");
}
