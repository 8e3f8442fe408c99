import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { describe, test } from "vitest";
import { headingOf, REASONS_OF_KINDS } from "../../scripts/reasons-document.ts";

/** What a kind's controller is made of, without the tables themselves. */
function sourcesOf(kind: string): string {
  const folder = kind.replace("Etcd", "").toLowerCase();
  return [`operator/src/${folder}`, "controller-runtime/src"]
    .flatMap((folder) => globSync(`packages/${folder}/**/*.ts`))
    .filter((file) => !/\.test\.ts$|\/(reasons|conditions)\.ts$/.test(file))
    .map((file) => readFileSync(file, "utf8"))
    .join("\n");
}

describe.each(Object.entries(REASONS_OF_KINDS))("the reasons of an %s", (kind, { reasons, conditions, events }) => {
  const documented = Object.entries(reasons);

  test("are all used", () => {
    const sources = sourcesOf(kind);
    assert.deepEqual(
      documented.map(([name]) => name).filter((name) => !sources.includes(`"${name}"`)),
      [],
    );
  });

  test("of its conditions and Events are documented", () => {
    const shown = [...Object.values(conditions).flatMap((each) => each.reasons), ...Object.keys(events)];
    assert.deepEqual(
      shown.filter((reason) => !(reason in reasons)),
      [],
    );
  });

  test("mean something in one sentence", () => {
    assert.deepEqual(
      documented.filter(([, { meaning }]) => !/^\S[^\n]{10,200}\.$/.test(meaning)),
      [],
    );
  });

  test("lead to a page and section of docs/operations, or say why there is nothing to do", () => {
    assert.deepEqual(
      documented.filter(([, { runbook }]) => !isReachable(runbook)),
      [],
    );
  });
});

function isReachable(runbook: string): boolean {
  return runbook.startsWith("none: ") ? runbook.length > "none: ".length : headingOf(runbook) !== undefined;
}
