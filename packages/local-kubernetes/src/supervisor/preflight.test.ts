import assert from "node:assert/strict";
import { describe, test } from "vitest";
import { alreadyRunning, type MachineFacts, obstacle, portTaken } from "./preflight.ts";

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

  test("a taken port is told, with a free one and how to find who has it", () => {
    assert.match(portTaken(6443, 7443), /^Port 6443 .* is taken: .* make run PORT=7443, .*ss -ltnp 'sport = :6443'/);
  });

  test("another local mode on the folder is told, with its process and the way to run both", () => {
    const said = alreadyRunning("/x/.local", 4711, 7443);
    assert.match(said, /runs already on \/x\/\.local as process 4711: .* kill 4711\./);
    assert.match(said, /make run STATE=\.local-2 PORT=7443$/);
    assert.doesNotMatch(alreadyRunning("/x/.local", undefined, 7443), /process|kill/);
  });
});
