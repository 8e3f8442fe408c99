import assert from "node:assert/strict";
import { test } from "vitest";
import { anAuditLog, auditLines } from "./an-audit-log.ts";
import { LoopsOfOperators } from "./loops-of-operators.ts";

const IN_DEFAULT = "etcd-operator/1.0 in 'default': a loop: PATCH services a-client";

async function found(text: string): Promise<readonly string[]> {
  const log = await anAuditLog();
  await log.add(text);
  return new LoopsOfOperators(log.auditFile).found();
}

test("an audit log in which an operator patches the same again and again has a loop", async () => {
  assert.deepEqual(await found(auditLines(9)), [`${IN_DEFAULT}, 8 times within 10 s without progress`]);
});

test("what others write is no loop of an operator", async () => {
  assert.deepEqual(await found(auditLines(9, { userAgent: "scenario" })), []);
});

test("patches of objects of one name in different namespaces are distinguished", async () => {
  assert.deepEqual(await found(["a", "b", "c"].map((namespace) => auditLines(3, { namespace })).join("")), []);
});

test("patches that are refused are a loop, too", async () => {
  const answer = JSON.stringify({ kind: "Status", apiVersion: "v1", metadata: {}, code: 403 });
  assert.equal((await found(auditLines(9, { statusCode: 403, answer }))).length, 1);
});

test("an audit log that does not exist yet has none", async () => {
  assert.deepEqual(await new LoopsOfOperators((await anAuditLog()).auditFile).found(), []);
});

test("each line counts once, also where several ask at a time", async () => {
  const log = await anAuditLog();
  await log.add(auditLines(5));
  const loops = new LoopsOfOperators(log.auditFile);
  const answers = await Promise.all([loops.found(), loops.found()]);
  await log.add(auditLines(5));
  assert.deepEqual([...answers.flat(), ...(await loops.found())], []);
});

test("a line that is not finished is read when it is, and half a line of a killed API server hides none", async () => {
  const log = await anAuditLog();
  const lines = auditLines(9);
  const [head, tail] = [lines.slice(0, 600), lines.slice(600)];
  await log.add(`{"atMs":1,"answer":"{\\"kind\\"${head}`);
  const loops = new LoopsOfOperators(log.auditFile);
  assert.deepEqual(await loops.found(() => false), []);
  await log.add(tail);
  assert.deepEqual(await loops.found(), [`${IN_DEFAULT}, 8 times within 10 s without progress`]);
});
