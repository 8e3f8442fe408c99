import assert from "node:assert/strict";
import { anAuditLog, auditLines } from "@etcd-operator/testing/loops/an-audit-log.ts";
import { LoopsOfOperators } from "@etcd-operator/testing/loops/loops-of-operators.ts";
import { test } from "vitest";
import { LoopsOfPlans } from "./loops-of-plans.ts";

const told = (namespace: string) =>
  `etcd-operator/1.0 in '${namespace}': a loop: PATCH services a-client, 8 times within 10 s without progress`;

async function loopsIn(...namespaces: readonly string[]): Promise<LoopsOfPlans> {
  const log = await anAuditLog();
  for (const namespace of namespaces) await log.add(auditLines(9, { namespace }));
  return new LoopsOfPlans(new LoopsOfOperators(log.auditFile), "amnesia");
}

test("a plan has the loops in its own namespaces, and not those of a plan whose name begins as its does", async () => {
  const loops = await loopsIn("amnesia-wiped", "amnesia-wiped-b", "amnesia-wiped-twice");
  assert.deepEqual(await loops.in("amnesia-wiped", "amnesia-wiped-b"), [
    told("amnesia-wiped"),
    told("amnesia-wiped-b"),
  ]);
  assert.deepEqual(await loops.in("amnesia-wiped-twice"), [told("amnesia-wiped-twice")]);
  await loops.areOver();
});

test("a loop in a namespace of no plan, such as the operator's, fails the plan that asks next", async () => {
  const loops = await loopsIn("default");
  assert.deepEqual(await loops.in("amnesia-wiped"), [told("default")]);
  assert.deepEqual(await loops.in("amnesia-other"), []);
});

test("a loop that begins when its plan is over is thrown in the end", async () => {
  const loops = await loopsIn("amnesia-wiped");
  assert.deepEqual(await loops.in("amnesia-other"), []);
  await assert.rejects(loops.areOver(), (error: Error) => error.message.includes(told("amnesia-wiped")));
});

test("writes that are few are no loop of any plan", async () => {
  const log = await anAuditLog();
  await log.add(auditLines(4, { namespace: "amnesia-wiped" }));
  const loops = new LoopsOfPlans(new LoopsOfOperators(log.auditFile), "amnesia");
  assert.deepEqual(await loops.in("amnesia-wiped"), []);
  await loops.areOver();
});
