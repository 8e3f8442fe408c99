import assert from "node:assert/strict";
import { describe, test } from "vitest";
import type { EtcdCluster } from "../../src/api/etcd-cluster.ts";
import { describeProblem, judge, judgeChange, type Problem } from "../../src/api/judge.ts";
import type { AdmissionCase } from "./admission-case.ts";
import { backupCases } from "./backup.cases.ts";
import { clusterCases } from "./cluster.cases.ts";

describe("our code judges as the API server does", () => {
  for (const given of [...clusterCases, ...backupCases]) {
    const { refused } = given;
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
  if (next.kind === "invalid") return next.problems;
  if (!previous) return [];
  const before = judge(kind, previous);
  assert.ok(before.kind === "valid", "the object that is changed must be valid");
  return kind === "EtcdCluster" ? judgeChange(next.object as EtcdCluster, before.object as EtcdCluster) : [];
}

function isAbout(problem: Problem, line: string, refused: NonNullable<AdmissionCase["refused"]>): boolean {
  return problem.field.includes(refused.field) && line.includes(refused.value) && line.includes(refused.remedy);
}
