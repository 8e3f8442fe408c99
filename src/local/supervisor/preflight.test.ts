import assert from "node:assert/strict";
import { describe, test } from "vitest";
import { type MachineFacts, obstacle } from "./preflight.ts";

const fit: MachineFacts = { platform: "linux", isRoot: true, missingPrograms: [] };

const cases: [name: string, facts: Partial<MachineFacts>, says: RegExp][] = [
  ["another system", { platform: "darwin" }, /this is darwin: use a Linux machine/],
  ["an ordinary user", { isRoot: false }, /needs root: .* sudo make run/],
  [
    "missing programs",
    { missingPrograms: ["ip", "nsenter", "unshare"] },
    /ip, nsenter, unshare\. .* apt-get install iproute2 util-linux$/,
  ],
  ["no namespaces", { namespaceError: "Operation not permitted" }, /Operation not permitted.*--privileged/],
  ["a taken port", { takenPort: 6443 }, /6443 .* is taken: .* make run PORT=7443/],
];

describe("before local mode starts", () => {
  test("a machine that has everything is fit", () => {
    assert.equal(obstacle(fit), undefined);
  });

  for (const [name, facts, says] of cases) {
    test(`${name} is told, with what to do`, () => {
      assert.match(obstacle({ ...fit, ...facts }) ?? "", says);
    });
  }
});
