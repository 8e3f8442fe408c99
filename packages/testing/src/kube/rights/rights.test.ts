import assert from "node:assert/strict";
import { test } from "vitest";
import type { AuditedRequest } from "./audit-log.ts";
import { rightsGranted, rightsUsed } from "./rights.ts";

const rules = [
  { apiGroups: [""], resources: ["pods", "pods/status"], verbs: ["get", "patch"] },
  { apiGroups: ["policy"], resources: ["poddisruptionbudgets"], verbs: ["get"] },
];

function aRequest(verb: string, resource: string): AuditedRequest {
  return { verb, resource, user: "u", userAgent: "", uri: "", code: 200, atMs: 0 };
}

test("rules grant every verb on every resource they name; the core group has no name", () => {
  assert.deepEqual(rightsGranted(rules), [
    "get pods",
    "get pods/status",
    "get policy/poddisruptionbudgets",
    "patch pods",
    "patch pods/status",
  ]);
});

test("requests use a right once, however often they come, and none for what is no resource", () => {
  const requests = [aRequest("patch", "pods/status"), aRequest("patch", "pods/status"), aRequest("get", "")];
  assert.deepEqual(rightsUsed(requests), ["patch pods/status"]);
});
