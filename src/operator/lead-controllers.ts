import type { ControllerContext, ControllerFactory } from "../controller/controller-context.ts";
import { InformerSet } from "../controller/informer-set.ts";
import { type ElectionOptions, type ElectionTimes, type IsLeading, runElected } from "../kubernetes/lease-election.ts";
import { linkedAbort } from "../kubernetes/linked-abort.ts";
import { onAbort } from "../kubernetes/on-abort.ts";
import type { Identity } from "./identity.ts";
import { leasePlace } from "./lease-place.ts";
import { OperatorError } from "./operator-error.ts";

export interface LeadOptions extends Omit<ControllerContext, "informers" | "isLeading"> {
  readonly identity: Pick<Identity, "holder" | "hasEnded">;
  /** Other than usual; for tests. */
  readonly electionTimes?: ElectionTimes | undefined;
}

/** Who lost a Lease has 5 s before somebody else acts; who was only asked to stop may take a little longer. */
const LOST_GRACE_MS = 3_000;
const STOP_GRACE_MS = 8_000;

/**
 * Stands for election for each controller, and runs those that are elected. Returns when the signal aborts and all have wound up and
 * given their Leases back; throws when a Lease is lost or a controller fails, because then the process has to end.
 */
export async function leadControllers(
  factories: readonly ControllerFactory[],
  options: LeadOptions,
  signal: AbortSignal,
): Promise<void> {
  const stop = linkedAbort(signal);
  const failures: unknown[] = [];
  const fail = (error: unknown) => {
    failures.push(error);
    stop.abort(error);
  };
  const candidacies = factories.map((factory) => stand(factory, options, fail, stop.signal).catch(fail));
  await endedOrStuck(Promise.all(candidacies), options, stop.signal, () => failures.length > 0).catch(fail);
  stop.unlink();
  if (failures.length > 0) throw failures[0];
}

async function stand(
  factory: ControllerFactory,
  options: LeadOptions,
  fail: (error: unknown) => void,
  signal: AbortSignal,
): Promise<void> {
  const { client, scope, identity, clock, random, electionTimes, health } = options;
  const { name } = factory;
  const logger = options.logger.child({ controller: name });
  const place = leasePlace(name, scope);
  const informers = new InformerSet({ client, namespace: scope.namespace, logger, clock, random });
  const lead = leading(factory, informers, { ...options, logger });
  options.metrics.setLeader(name, false);
  health.addReadiness(name, () => "has not heard who leads yet");
  await runElected(
    {
      client,
      ...place,
      identity: identity.holder,
      hasEnded: identity.hasEnded,
      clock,
      random,
      times: electionTimes,
      lead,
      onLost: (why) => fail(leaseLost(place, why)),
      onLeader: (leader) => {
        // One that only stands by is ready: it could lead at any moment.
        health.addReadiness(name, () => (leader === identity.holder ? informers.complaint : undefined));
        logger.info({ lease: place, leader }, leader === identity.holder ? "leading" : "standing by");
      },
      onError: (error) => logger.warn({ err: error, lease: place }, "could not reach the Lease"),
    },
    signal,
  );
}

/** What to do while elected: list, and then let the controller work. */
function leading(factory: ControllerFactory, informers: InformerSet, options: LeadOptions): ElectionOptions["lead"] {
  const { logger, metrics } = options;
  let isLeading: IsLeading = () => false;
  const controller = factory.create({ ...options, informers, isLeading: () => isLeading() });
  return async (signal, isElected) => {
    isLeading = isElected;
    metrics.setLeader(factory.name, true);
    const following = informers.run(signal);
    try {
      await informers.waitForSync(signal);
      logger.info("watching");
      await controller.run(signal);
    } catch (error) {
      if (!signal.aborted) throw error;
    }
    if (!signal.aborted) throw new Error(`controller '${factory.name}' ended of itself`);
    await following;
    metrics.setLeader(factory.name, false);
  };
}

function leaseLost({ namespace, name }: { namespace: string; name: string }, why: string): OperatorError {
  return new OperatorError("lease-lost", {
    operation: `hold Lease '${namespace}/${name}'`,
    message: `${why}. This process ends, so that no object has two masters`,
  });
}

/** Waits for the end, but not for ever once it was asked for. */
async function endedOrStuck(
  all: Promise<unknown>,
  { clock }: LeadOptions,
  signal: AbortSignal,
  hasFailed: () => boolean,
): Promise<void> {
  const undo: (() => void)[] = [];
  const stuck = new Promise<never>((_, reject) => {
    const begin = () => {
      const graceMs = hasFailed() ? LOST_GRACE_MS : STOP_GRACE_MS;
      undo.push(clock.after(graceMs, () => reject(stillBusy(graceMs))));
    };
    undo.push(onAbort(signal, begin));
  });
  try {
    await Promise.race([all, stuck]);
  } finally {
    for (const each of undo) each();
  }
}

function stillBusy(graceMs: number): OperatorError {
  const message = `a controller is still busy ${graceMs} ms later; its Lease runs out by itself`;
  return new OperatorError("stuck", { operation: "wind up", message });
}
