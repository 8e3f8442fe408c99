import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { promisify } from "node:util";
import { actionlint, binaryOf, obstacleTo } from "@etcd-operator/testing/objectstore/go-program.ts";
import { titleWith } from "@etcd-operator/testing/skipped.ts";
import { describe, test } from "vitest";

const FOLDER = ".github/workflows";
const workflows = readdirSync(FOLDER).map((file) => `${FOLDER}/${file}`);
const obstacle = await obstacleTo(actionlint);

describe("the workflows", () => {
  test.skipIf(obstacle)(titleWith("are ones that actionlint takes", obstacle), async () => {
    const lint = await binaryOf(actionlint);
    // Without the two checkers of scripts, which a machine may have or not.
    await promisify(execFile)(lint, ["-no-color", "-shellcheck=", "-pyflakes=", ...workflows]);
  });

  test.each(workflows)("%s calls make targets that exist", (workflow) => {
    const targets = [...readFileSync("Makefile", "utf8").matchAll(/^([a-z-]+):/gm)].map(([, target]) => target);
    const called = [...readFileSync(workflow, "utf8").matchAll(/\brun: make ([a-z-]+)/g)].map(
      ([, target]) => target ?? "",
    );
    assert.ok(called.length > 0);
    assert.deepEqual(
      called.filter((target) => !targets.includes(target)),
      [],
    );
  });
});
