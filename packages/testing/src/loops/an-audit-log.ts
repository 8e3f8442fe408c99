import { appendFile, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { AuditLine } from "@etcd-operator/local-kubernetes/apiserver/http/audit.ts";
import { onTestFinished } from "vitest";

const SERVICE = {
  apiVersion: "v1",
  kind: "Service",
  metadata: { name: "a-client", uid: "1" },
  spec: { type: "ClusterIP" },
};

/** An audit log that grows, and is gone after the test. */
export async function anAuditLog() {
  const folder = await mkdtemp(join(tmpdir(), "audit-log-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const auditFile = join(folder, "audit.log");
  return { auditFile, add: (text: string) => appendFile(auditFile, text) };
}

/** An operator that writes the same to a Service once a second. */
export function auditLines(count: number, { namespace = "default", ...more }: AuditGiven = {}): string {
  const path = `/api/v1/namespaces/${namespace}/services/a-client`;
  const written = { method: "PATCH", path, userAgent: "etcd-operator/1.0", statusCode: 200 };
  const line = { ...written, answer: JSON.stringify(SERVICE), ...more };
  return Array.from({ length: count }, (_, at) => `${JSON.stringify({ atMs: at * 1_000, ...line })}\n`).join("");
}

type AuditGiven = Partial<AuditLine> & { readonly namespace?: string };
