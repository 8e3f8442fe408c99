import { InformerSet } from "@etcd-operator/controller-runtime";
import { type ElectionTimes, linkedAbort, onAbort, runElected } from "@etcd-operator/kubernetes-client";
import type { ControllerContext, ControllerFactory } from "../context/controller-context.ts";
import type { Identity } from "./identity.ts";
import { leasePlace } from "./lease-place.ts";
import { OperatorError } from "./operator-error.ts";

export interface LeadOptions extends Omit<ControllerContext, "informers" | "isLeading"> {
  readonly identity: Pick<Identity, "holder" | "hasEnded">;
  /** Other than usual; for tests. */
  readonly electionTimes?: ElectionTimes | undefined;
}

/** After losing a Lease 5 s remain before another process acts; a requested stop may take a little longer. */
const LOST_GRACE_MS = 3_000;
const STOP_GRACE_MS = 8_000;

/**
 * Runs an election for each controller, and runs the elected ones. One whose Lease could not be renewed stops its work
 * and tries again. Returns when the signal aborts and all have stopped and released their Leases; throws when another
 * process took a Lease, or a controller fails or does not stop, because then this process has to exit.
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
  const graceMs = () => (failures.length === 0 ? STOP_GRACE_MS : isStuck(failures[0]) ? 0 : LOST_GRACE_MS);
  await endedOrStuck(Promise.all(candidacies), options, stop.signal, graceMs).catch(fail);
  stop.unlink();
  if (failures.length > 0) throw failures[0];
}

async function stand(
  factory: ControllerFactory,
  options: LeadOptions,
  fail: (error: unknown) => void,
  signal: AbortSignal,
): Promise<void> {
  const { client, identity, clock, random, electionTimes, health, metrics } = options;
  const { name } = factory;
  const logger = options.logger.child({ controller: name });
  const place = leasePlace(name, options.scope);
  let hasLed = false;
  let work: Work | undefined;
  metrics.setLeader(name, false);
  health.addReadiness(name, () => "leader election pending");
  await runElected(
    {
      client,
      ...place,
      identity: identity.holder,
      hasEnded: identity.hasEnded,
      clock,
      random,
      times: electionTimes,
      lead: async (elected, isLeading) => {
        if (hasLed) logger.info({ lease: place }, "leading again");
        hasLed = true;
        work = workOf(factory, { ...options, logger, isLeading });
        await work.run(elected, () => signal.aborted || fail(stillBusy(LOST_GRACE_MS)));
        work = undefined;
      },
      onLost: (why, holder) => {
        if (holder === undefined) logger.warn({ lease: place }, `${why}: stopped work until the Lease is renewed`);
        else fail(leaseLost(place, why));
      },
      onLeader: (leader) => {
        const isOurs = leader === identity.holder;
        // Its state is from before another process led, so a restarted process is as good.
        if (hasLed && !work && !isOurs) return fail(leaseLost(place, `the Lease is held by '${leader}'`));
        // A standby is ready: it could lead at any moment.
        health.addReadiness(name, () => (isOurs ? work?.complaint : undefined));
        logger.info({ lease: place, leader }, isOurs ? "leading" : "standing by");
      },
      onError: (error) => logger.warn({ err: error, lease: place }, "could not reach the Lease"),
    },
    signal,
  );
}

/** What one controller does from its election to the loss of its Lease; after that it begins with nothing. */
interface Work {
  readonly complaint: string | undefined;
  /** Lists objects, and then runs the controller; `stuck` is called when it does not stop in time. */
  run(signal: AbortSignal, stuck: () => void): Promise<void>;
}

function workOf(factory: ControllerFactory, options: LeadOptions & Pick<ControllerContext, "isLeading">): Work {
  const { client, scope, logger, metrics, clock, random } = options;
  const informers = new InformerSet({ client, namespace: scope.namespace, logger, clock, random });
  const controller = factory.create({ ...options, informers });
  return {
    get complaint() {
      return informers.complaint;
    },
    async run(signal, stuck) {
      let cancel: () => void = () => undefined;
      const unlink = onAbort(signal, () => {
        cancel = clock.after(LOST_GRACE_MS, stuck);
      });
      metrics.setLeader(factory.name, true);
      const following = informers.run(signal);
      try {
        await informers.waitForSync(signal);
        logger.info("watching");
        await controller.run(signal);
      } catch (error) {
        if (!signal.aborted) throw error;
      } finally {
        unlink();
        cancel();
      }
      if (!signal.aborted) throw new Error(`controller '${factory.name}' stopped without being asked to`);
      await following;
      metrics.setLeader(factory.name, false);
    },
  };
}

function leaseLost({ namespace, name }: { namespace: string; name: string }, why: string): OperatorError {
  return new OperatorError("lease-lost", {
    operation: `hold Lease '${namespace}/${name}'`,
    message: `${why}. Exiting to avoid two active leaders`,
  });
}

/** Waits for the end, but not for ever once it was asked for. */
async function endedOrStuck(
  all: Promise<unknown>,
  { clock }: LeadOptions,
  signal: AbortSignal,
  graceMs: () => number,
): Promise<void> {
  const undo: (() => void)[] = [];
  const stuck = new Promise<never>((_, reject) => {
    const begin = () => {
      const ms = graceMs();
      undo.push(clock.after(ms, () => reject(stillBusy(ms))));
    };
    undo.push(onAbort(signal, begin));
  });
  try {
    await Promise.race([all, stuck]);
  } finally {
    for (const each of undo) each();
  }
}

function isStuck(error: unknown): boolean {
  return error instanceof OperatorError && error.code === "stuck";
}

function stillBusy(graceMs: number): OperatorError {
  const message = `a controller did not stop within ${graceMs} ms; its Lease will expire`;
  return new OperatorError("stuck", { operation: "wind up", message });
}
