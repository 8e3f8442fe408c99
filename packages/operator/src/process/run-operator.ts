import { createLogger, Health, type Logger, serveHealthOnSharedPort } from "@etcd-operator/controller-runtime";
import type { ElectionTimes, Resource } from "@etcd-operator/kubernetes-client";
import {
  type Clock,
  EventRecorder,
  KubeClient,
  linkedAbort,
  loadConnection,
  pause,
  systemClock,
} from "@etcd-operator/kubernetes-client";
import type { ControllerFactory } from "../context/controller-context.ts";
import { Metrics } from "../context/metrics.ts";
import { CrdRevisions } from "./crd-revisions.ts";
import { createCrds } from "./create-crds.ts";
import { processIdentity } from "./identity.ts";
import { type LeadOptions, leadControllers } from "./lead-controllers.ts";
import type { OperatorFlags, ProgramName } from "./operator-flags.ts";
import { ownImage } from "./own-image.ts";
import { scopeOf } from "./scope.ts";
import { VERSION } from "./version.ts";
import { waitUntilServed } from "./wait-until-served.ts";

export interface OperatorOptions {
  readonly program: ProgramName;
  readonly flags: OperatorFlags;
  /** What runs, given the image that this operator runs in. */
  readonly controllers: (image: string) => readonly ControllerFactory[];
  readonly logger?: Logger | undefined;
  /** Called with the port of the health endpoints, which --listen-addr may leave open. */
  readonly onListening?: ((port: number) => void) | undefined;
  readonly electionTimes?: ElectionTimes | undefined;
  readonly clock?: Clock | undefined;
  readonly random?: (() => number) | undefined;
}

/** The last Events are worth a moment, not more. */
const FLUSH_MS = 2_000;

/**
 * Runs a program's controllers until the signal aborts: CRDs first, then one election per controller. Throws when it
 * cannot go on; the process then ends, because a part of it may still be busy.
 */
export async function runOperator(options: OperatorOptions, signal: AbortSignal): Promise<void> {
  const { program, flags } = options;
  const { logger = createLogger({ level: flags.logLevel }), clock = systemClock, random = Math.random } = options;
  const [health, metrics] = [new Health(), new Metrics()];
  // Until the controllers say themselves what they wait for.
  const hasStarted = health.addReadiness("start", () => "still starting");
  const connection = await loadConnection({ kubeconfig: flags.kubeconfig });
  const namespace = flags.namespace ?? connection.namespace ?? "default";
  const scope = scopeOf({ clusterWide: flags.clusterWide, namespace });
  const identity = processIdentity();
  const after = (ms: number, run: () => void) => clock.after(ms, run);
  const server = await serveHealthOnSharedPort(flags.listenAddr, { health, metrics }, { logger, after });
  if (server.port !== undefined) options.onListening?.(server.port);
  const client = new KubeClient(connection, { userAgent: `${program}/${VERSION}` });
  const recorder = new EventRecorder({
    client,
    component: program,
    instance: identity.name,
    signal,
    onError: (error) => logger.warn({ err: error }, "could not write an Event"),
  });
  logger.info(
    { program, identity: identity.holder, scope: scope.kind, namespace: scope.namespace, port: server.port },
    "starting",
  );
  const watched = linkedAbort(signal);
  try {
    const shared = { client, scope, logger, metrics, health, recorder, identity, clock, random };
    const controllers = options.controllers(await ownImage({ ...shared, program, told: flags.guardImage }, signal));
    const kinds = [...new Set(controllers.flatMap(({ needs }) => [...needs]))];
    const upgrade = flags.createCrd ? (until: AbortSignal) => createCrds(shared, until) : undefined;
    const revisions = new CrdRevisions({ ...shared, kinds, upgrade });
    await prepareKinds({ ...shared, kinds, createCrd: flags.createCrd, revisions }, signal);
    const watching = revisions.watch(watched.signal);
    const outdatedCrd = (kind: string) => revisions.complaintOf(kind);
    const leading = leadControllers(
      controllers,
      { ...shared, outdatedCrd, electionTimes: options.electionTimes },
      signal,
    );
    hasStarted();
    await leading;
    watched.abort();
    await watching;
  } finally {
    watched.abort();
    watched.unlink();
    await Promise.race([recorder.flush(), pause(systemClock, FLUSH_MS, new AbortController().signal)]);
    await server.close();
    await client.close();
  }
}

/** Makes sure that our kinds are served by CRDs as new as this operator, and is not ready until they are. */
async function prepareKinds(
  options: LeadOptions & { kinds: readonly Resource[]; createCrd: boolean; revisions: CrdRevisions },
  signal: AbortSignal,
): Promise<void> {
  const { health, scope, kinds, createCrd, revisions } = options;
  const isWaiting = health.addReadiness("CRDs", () => "waiting for the CRDs to be served");
  if (createCrd) await createCrds(options, signal);
  await waitUntilServed(kinds, { ...options, namespace: scope.namespace }, signal);
  isWaiting();
  // A rolling update of the operator waits at this point while the previous one, which knows these CRDs, keeps working.
  health.addReadiness("CRDs", () => revisions.complaints[0]);
  if (!createCrd) await revisions.waitUntilCurrent(signal);
}
