import type { Container, Probe } from "kubernetes-types/core/v1.d.ts";
import type { Version } from "../../etcd/version.ts";
import { factsOf } from "../../etcd/version-facts.ts";
import { CLIENT_PORT, METRICS_PORT } from "./names.ts";

type Probes = Pick<Container, "startupProbe" | "livenessProbe" | "readinessProbe">;

/** Probes that need no certificate. A version without `/livez` has no liveness probe: see `olderProbes`. */
export function probes(version: Version, servesTls: boolean): Probes {
  return factsOf(version).hasLivezReadyz ? LIVEZ_AND_READYZ : olderProbes(version, servesTls);
}

// A replay of a long log takes minutes, in which etcd answers nothing; killing it there would start the replay again.
const STARTUP = { periodSeconds: 1, failureThreshold: 3600, timeoutSeconds: 5 };
// A disk may stall for a while, and a restart costs a replay: be slow to judge.
const LIVENESS = { periodSeconds: 10, failureThreshold: 8, timeoutSeconds: 15 };
const READINESS = { periodSeconds: 2, failureThreshold: 3, timeoutSeconds: 5 };

const LIVEZ_AND_READYZ: Probes = {
  startupProbe: { ...get("/livez", METRICS_PORT), ...STARTUP },
  livenessProbe: { ...get("/livez", METRICS_PORT), ...LIVENESS },
  readinessProbe: { ...get("/readyz", METRICS_PORT), ...READINESS },
};

/**
 * `/health` fails on NOSPACE and without quorum, when a restart helps nobody, and etcd's port accepts connections even
 * while it hangs: neither can say that a member should be killed. That its process ended, the kubelet sees by itself.
 */
function olderProbes(version: Version, servesTls: boolean): Probes {
  if (factsOf(version).hasListenMetricsUrls) return { readinessProbe: { ...health(METRICS_PORT), ...READINESS } };
  const probe = servesTls ? { tcpSocket: { port: CLIENT_PORT } } : health(CLIENT_PORT);
  return { readinessProbe: { ...probe, ...READINESS } };
}

// Reads go on without space. Versions that know no `exclude` do not look at it.
function health(port: number): Probe {
  return get("/health?exclude=NOSPACE", port);
}

function get(path: string, port: number): Probe {
  return { httpGet: { path, port, scheme: "HTTP" } };
}
