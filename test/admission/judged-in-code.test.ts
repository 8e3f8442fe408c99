import assert from "node:assert/strict";
import { describeProblem, judge, type Problem } from "@etcd-operator/operator/api/schema/judge.ts";
import { describe, test } from "vitest";
import type { AdmissionCase } from "./admission-case.ts";
import { backupCases } from "./backup.cases.ts";
import { clusterCases } from "./cluster.cases.ts";

describe("our code judges an object as the API server does, and no change", () => {
  for (const given of [...clusterCases, ...backupCases]) {
    // What was before is known to the API server alone: our code takes the object for what it is.
    const refused = given.previous ? undefined : given.refused;
    test(`${given.name} is ${refused ? "refused" : "allowed"}`, () => {
      const problems = judged(given);
      if (!refused) return assert.deepEqual(problems, []);
      const lines = problems.map(describeProblem);
      assert.ok(
        problems.some((problem, index) => isAbout(problem, lines[index] ?? "", refused)),
        `expected ${JSON.stringify(refused)}, got ${JSON.stringify(lines)}`,
      );
    });
  }
});

function judged({ kind, object, previous }: AdmissionCase): readonly Problem[] {
  const next = judge(kind, JSON.parse(JSON.stringify({ ...object, status: object.status ?? previous?.status })));
  return next.kind === "invalid" ? next.problems : [];
}

function isAbout(problem: Problem, line: string, refused: NonNullable<AdmissionCase["refused"]>): boolean {
  return problem.field.includes(refused.field) && line.includes(refused.value) && line.includes(refused.remedy);
}
