import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { transform } from "esbuild";
import { describe, test } from "vitest";
import { admissionPlays } from "../admission/plays.ts";
import { clockPlays } from "../clocks/plays.ts";
import { playsOf as fieldPlaysOf } from "../fields/plays.ts";
import { insistingPlays } from "../hands/insisting-play.ts";
import { ofCluster } from "../hands/owned.ts";
import { plays as lies, nameOf } from "../liars/plays.ts";
import { talesOf } from "../lineages/plans.ts";
import type { Plan } from "../plan.ts";
import { playsOf as viewPlaysOf } from "../views/views-suite.ts";
import { workloads } from "../workloads/workloads.ts";
import { faultsAt } from "../writes/faults-at.ts";
import { type WritePlan, writePlanOf } from "../writes/write-plan.ts";
import { innerPlan } from "./inner-plan.ts";
import type { Mutant } from "./mutant.ts";
import { mutants } from "./mutants.ts";
import { patched } from "./patched.ts";

test("there are more than twenty known bugs, each with a name of its own", () => {
  assert.ok(mutants.length > 22, `${mutants.length}`);
  assert.equal(new Set(mutants.map(({ name }) => name)).size, mutants.length);
});

describe.each(mutants.map((mutant) => [mutant.name, mutant] as const))("%s", (_, mutant) => {
  test("fits the operator's source, which can still be read afterwards", async () => {
    assert.ok(mutant.patches.length > 0);
    for (const [file, source] of await patchedFiles(mutant)) {
      await assert.doesNotReject(transform(source, { loader: "ts", sourcefile: file }));
    }
  });

  test("is searched for by existing plans, and by what they say", () => {
    assert.ok(mutant.caughtBy.length > 0);
    for (const name of mutant.caughtBy) assert.ok(isPlan(innerPlan(name)), name);
    assert.doesNotMatch("the run broke off: Error: anything at all", mutant.failsWith);
  });
});

function isPlan({ suite, name, seed }: Plan): boolean {
  switch (suite) {
    case "writes":
      return isListed(writePlanOf(name), seed);
    case "views":
      return viewPlaysOf(seed).some((play) => play.name === name);
    case "fields":
      return fieldPlaysOf(seed).some((play) => play.name === name);
    case "clocks":
      return clockPlays.some((play) => play.name === name);
    case "admission":
      return admissionPlays.some((play) => play.name === name);
    case "lineages":
      return talesOf(seed).some((tale) => tale.name === name);
    case "hands":
      return [...ofCluster.map((owned) => `${owned.name}/`), ...insistingPlays.map((play) => play.name)].some((each) =>
        name.startsWith(each),
      );
    case "liars":
      return lies.some((play) => nameOf(play) === name);
    default:
      return false;
  }
}

/**
 * Whether there is such a write shows only when it runs; whether its fault is tried with it, before: of a number it is
 * taken to be of one kind.
 */
function isListed(plan: WritePlan | undefined, seed: number): boolean {
  const count = Number(/\d+$/.exec(plan?.place ?? "")?.[0]);
  const sent = Array<string>(count).fill("one kind");
  return (
    plan !== undefined &&
    workloads.some(({ name }) => name === plan.workload) &&
    faultsAt(sent, count - 1, seed).includes(plan.fault)
  );
}

async function patchedFiles({ patches }: Mutant): Promise<readonly (readonly [string, string])[]> {
  const files = [...new Set(patches.map(({ file }) => file))];
  return Promise.all(
    files.map(async (file) => {
      const source = await readFile(new URL(`../../../packages/${file}`, import.meta.url), "utf8");
      return [file, patched(source, file, patches)] as const;
    }),
  );
}
