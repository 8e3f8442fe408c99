import { describe, expect, test } from "vitest";
import { all, bytesOf, text } from "./content.ts";
import type { ContractContext } from "./object-store-contract.ts";

const ODD_KEYS: Readonly<Record<string, string>> = {
  spaces: "with two  spaces and one at the end ",
  "a plus": "a+b",
  "a percent sign": "100%",
  "something that looks encoded": "a%2Fb%20c",
  "a time": "backup_v100_2030-01-01-12:30:00",
  "characters of other scripts": "ünï/日本語/Ωмега",
  "a character outside the basic plane": "🙂",
  "a letter written in two ways": "e\u0301 and \u00e9",
  "what addresses give a meaning": "a?b=c&d#e;f@g,h$i",
  "what XML and HTML give a meaning": `<a href="x">'&amp;'</a>`,
  "what shells and patterns give a meaning": "~*(x)!{y}[z]|^`",
  "dots that do not stand alone": ".hidden/..two/three...",
  "parts that are long": Array.from({ length: 4 }, (_, n) => `${n}`.repeat(200)).join("/"),
};

export function keyCases({ open, aKey }: ContractContext): void {
  describe("a key", () => {
    test.each(Object.entries(ODD_KEYS))("may have %s", async (_, name) => {
      const store = await open();
      const key = aKey(name);
      await store.put(key, text(`under ${name}`));
      expect((await bytesOf(store.get(key))).toString()).toBe(`under ${name}`);
      expect((await store.stat(key))?.key).toBe(key);
      expect((await all(store.list(key))).map((object) => object.key)).toEqual([key]);
      await store.delete(key);
      expect(await store.stat(key)).toBeUndefined();
    });
  });
}
