import assert from "node:assert/strict";
import { test } from "vitest";
import { BUILTIN_RESOURCES } from "../kinds/builtin-kinds.ts";
import { Registry } from "../kinds/registry.ts";
import { Authorizer } from "./authorizer.ts";

test("those who come first, and at once, follow each cache only once", async () => {
  const listeners: string[] = [];
  const caches = {
    of: (prefix: string) => ({
      ready: async () => {},
      listen: () => listeners.push(prefix) > 0,
      revision: 1n,
      reaches: async () => true,
      under: () => [],
    }),
  };
  const authorizer = new Authorizer({
    registry: new Registry(BUILTIN_RESOURCES),
    store: { revision: async () => 1n },
    caches,
  });
  const asked = { kind: "path", verb: "get", path: "/" } as const;
  const jane = { username: "jane", groups: [] };
  await Promise.all([1, 2, 3].map(() => authorizer.decide(jane, asked)));
  await authorizer.decide(jane, asked);
  assert.equal(listeners.length, 4);
  assert.equal(new Set(listeners).size, 4);
});
