import { expect, test } from "vitest";
import { nameOf, plays } from "./plays.ts";

test("every read is lied to in every way that says something about it, under a name of its own", () => {
  expect(new Set(plays.map(nameOf)).size).toBe(plays.length);
  expect(plays.length).toBeGreaterThan(100);
});

test("a lie that is left out for a read exists, and its reason is written down", () => {
  for (const { component } of plays) {
    for (const { not = {} } of Object.values(component.reads)) {
      for (const [lie, reason] of Object.entries(not)) {
        expect(Object.keys(component.lies)).toContain(lie);
        expect(reason).not.toBe("");
      }
    }
  }
});
