import { isDeepStrictEqual } from "node:util";
import type { Fence, StatusKeeper } from "@etcd-operator/controller-runtime";
import { TrackedClient } from "@etcd-operator/controller-runtime";
import { parseTime } from "@etcd-operator/kubernetes-client";
import type { EtcdRestore } from "../api/etcd-restore.ts";
import type { ControllerContext } from "../context/controller-context.ts";
import { createActor } from "./act.ts";
import { eventsOf } from "./events.ts";
import type { Observe } from "./observe.ts";
import { plan } from "./plan.ts";
import type { RestoreSteps } from "./reconcile.ts";
import type { RestoreRuns } from "./runs.ts";
import type { StartWork } from "./start-work.ts";
import { type RestoreStatus, statusAfter } from "./status.ts";
import type { KeptStores } from "./tasks/kept-stores.ts";

export interface StepParts {
  readonly observe: Observe;
  readonly startWork: StartWork;
  readonly runs: RestoreRuns;
  readonly stores: KeptStores;
  readonly fence: Fence;
  readonly keeper: StatusKeeper<EtcdRestore>;
}

/** The steps of a reconcile in production. */
export function stepsOf(
  context: ControllerContext,
  { observe, startWork, runs, stores, fence, keeper }: StepParts,
): RestoreSteps {
  const { client, recorder, metrics, clock } = context;
  const forget = async (key: string) => {
    await runs.drop(key);
    await stores.drop(key);
  };
  const act = createActor({ client, fence, startWork, dropRuns: forget });
  return {
    observe,
    plan,
    act: (seen, action, { writes }, signal) => act(seen, action, { writer: new TrackedClient(client, writes), signal }),
    statusAfter,
    isWorthWriting: ({ restore }, next) => !isDeepStrictEqual(next, restore.status ?? {}),
    async writeStatus(seen, status, { writes }, signal) {
      const { restore } = seen;
      fence(`writing the status of EtcdRestore ${restore.metadata.name}`);
      const { metadata } = await keeper.write(new TrackedClient(client, writes), restore, status, signal);
      if (status.finishedAt !== undefined && restore.status?.finishedAt === undefined) {
        metrics.restores.ended(Boolean(status.succeeded), secondsOf(status));
      }
      return { ...seen, restore: { ...restore, metadata, status } };
    },
    eventsOf,
    record: ({ restore }, event) => recorder.record(restore, event),
    forget,
    clock,
  };
}

function secondsOf({ startedAt, finishedAt }: RestoreStatus): number {
  const [startedMs, finishedMs] = [parseTime(startedAt), parseTime(finishedAt)];
  return startedMs === undefined || finishedMs === undefined ? 0 : (finishedMs - startedMs) / 1000;
}
