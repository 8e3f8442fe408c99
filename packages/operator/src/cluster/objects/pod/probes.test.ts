import { parseVersion } from "@etcd-operator/etcd-client";
import type { Probe } from "kubernetes-types/core/v1.d.ts";
import { describe, expect, test } from "vitest";
import { probes } from "./probes.ts";

describe("the probes of a member", () => {
  test.each([
    ["3.2.32", false, { readiness: "http 2379 /metrics" }],
    ["3.2.32", true, { readiness: "tcp 2379" }],
    ["3.3.25", true, { readiness: "http 2381 /metrics" }],
    ["3.4.28", false, { readiness: "http 2381 /metrics" }],
    ["3.4.29", false, { startup: "http 2381 /livez", liveness: "http 2381 /livez", readiness: "http 2381 /readyz" }],
    ["3.5.10", true, { readiness: "http 2381 /health?exclude=NOSPACE" }],
    ["3.5.11", true, { startup: "http 2381 /livez", liveness: "http 2381 /livez", readiness: "http 2381 /readyz" }],
    ["3.7.3", true, { startup: "http 2381 /livez", liveness: "http 2381 /livez", readiness: "http 2381 /readyz" }],
  ])("of %s, TLS %s, are %j", (version, servesTls, expected) => {
    const { startupProbe, livenessProbe, readinessProbe } = probesOf(version, servesTls);
    const found = { startup: said(startupProbe), liveness: said(livenessProbe), readiness: said(readinessProbe) };
    expect(found).toEqual(expected);
  });

  test("never ask for what writes into the log, because 3.6 does not start on it", () => {
    for (const version of ["3.2.32", "3.3.25", "3.4.28", "3.4.29"]) {
      for (const servesTls of [false, true])
        expect(JSON.stringify(probesOf(version, servesTls))).not.toContain("/health");
    }
  });

  test("give a member an hour to replay its log before the kubelet kills it", () => {
    const { periodSeconds = 0, failureThreshold = 0 } = probesOf("3.5.30", false).startupProbe ?? {};
    expect(periodSeconds * failureThreshold).toBe(3600);
  });

  test("let a long defragmentation end, which blocks /livez, and still end a member that hangs within half an hour", () => {
    const {
      periodSeconds = 0,
      failureThreshold = 0,
      timeoutSeconds = 0,
    } = probesOf("3.5.30", false).livenessProbe ?? {};
    expect(Math.max(periodSeconds, timeoutSeconds) * failureThreshold).toBeGreaterThanOrEqual(20 * 60);
    expect((periodSeconds + timeoutSeconds) * failureThreshold).toBeLessThanOrEqual(40 * 60);
  });
});

function probesOf(version: string, servesTls: boolean) {
  const parsed = parseVersion(version);
  if (!parsed) throw new Error(`not a version: ${version}`);
  return probes(parsed, servesTls);
}

function said(probe: Probe | undefined): string | undefined {
  if (probe?.tcpSocket) return `tcp ${probe.tcpSocket.port}`;
  return probe?.httpGet && `http ${probe.httpGet.port} ${probe.httpGet.path}`;
}
