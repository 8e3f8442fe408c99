import type { Version } from "@etcd-operator/etcd-client";
import { factsOf } from "@etcd-operator/etcd-client";
import type { Container, Probe } from "kubernetes-types/core/v1.d.ts";
import { CLIENT_PORT, METRICS_PORT } from "../../../api/cluster/cluster-names.ts";

type Probes = Pick<Container, "startupProbe" | "livenessProbe" | "readinessProbe">;

/** Probes that need no certificate. A version without `/livez` has no liveness probe: see `olderProbes`. */
export function probes(version: Version, servesTls: boolean): Probes {
  return factsOf(version).hasLivezReadyz ? LIVEZ_AND_READYZ : olderProbes(version, servesTls);
}

// A replay of a long log takes minutes, in which etcd answers nothing; killing it there would start the replay again.
const STARTUP = { periodSeconds: 1, failureThreshold: 3600, timeoutSeconds: 5 };
// A disk may stall for a while, and a restart costs a replay: be slow to judge. A defragmentation blocks `/livez` for
// its full length (measured on 3.5.30), and killing etcd in it does not help: 90 failures are 15 to 30 minutes. With a
// majority, one that hangs is replaced before that.
const LIVENESS = { periodSeconds: 10, failureThreshold: 90, timeoutSeconds: 15 };
const READINESS = { periodSeconds: 2, failureThreshold: 3, timeoutSeconds: 5 };

const LIVEZ_AND_READYZ: Probes = {
  startupProbe: { ...get("/livez", METRICS_PORT), ...STARTUP },
  livenessProbe: { ...get("/livez", METRICS_PORT), ...LIVENESS },
  readinessProbe: { ...get("/readyz", METRICS_PORT), ...READINESS },
};

/**
 * Neither `/health` nor an open port can say that a member should be killed: the one fails on NOSPACE and without
 * quorum, when a restart does not help, and the other accepts connections even while etcd hangs. That its process
 * ended, the kubelet sees by itself.
 *
 * Where asking for `/health` writes into the log, that is not used: such entries crash 3.6. The probe used
 * instead shows that etcd has started; the operator's readiness gate shows that it reaches a majority.
 */
function olderProbes(version: Version, servesTls: boolean): Probes {
  const { hasListenMetricsUrls, healthWritesLog } = factsOf(version);
  if (!hasListenMetricsUrls && servesTls) return { readinessProbe: { tcpSocket: { port: CLIENT_PORT }, ...READINESS } };
  const port = hasListenMetricsUrls ? METRICS_PORT : CLIENT_PORT;
  // Reads go on without space.
  return { readinessProbe: { ...get(healthWritesLog ? "/metrics" : "/health?exclude=NOSPACE", port), ...READINESS } };
}

function get(path: string, port: number): Probe {
  return { httpGet: { path, port, scheme: "HTTP" } };
}
