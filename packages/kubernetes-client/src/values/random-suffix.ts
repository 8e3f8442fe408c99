const LENGTH = 10;
const CHARACTERS = "abcdefghijklmnopqrstuvwxyz0123456789";

/** What makes a name one that was never used; `random` gives numbers from 0 up to, but not including, 1. */
export function randomSuffix(random: () => number): string {
  return Array.from({ length: LENGTH }, () => CHARACTERS[Math.floor(random() * CHARACTERS.length)]).join("");
}
