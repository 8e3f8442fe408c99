import type { StatusKeeper } from "@etcd-operator/controller-runtime";
import { fenceOf, TrackedClient } from "@etcd-operator/controller-runtime";
import type { EtcdCluster } from "../api/etcd-cluster.ts";
import type { ControllerContext } from "../context/controller-context.ts";
import type { MemberClients } from "./act/member-clients.ts";
import { createActor } from "./act.ts";
import { eventsOf } from "./events.ts";
import { isAtRest } from "./model/at-rest.ts";
import { situationOf } from "./model/situation.ts";
import type { Observer } from "./observe.ts";
import { decide } from "./plan.ts";
import type { ClusterSteps } from "./reconcile.ts";
import type { ClusterGauges } from "./status/gauges.ts";
import { recheckMs } from "./status/recheck.status.ts";
import { isWorthWriting } from "./status/worth-writing.status.ts";
import { statusAfter } from "./status.ts";
import { untilFullMs } from "./storage/database-room.rule.ts";

export interface StepParts {
  readonly observer: Observer;
  readonly gauges: ClusterGauges;
  readonly connections: MemberClients;
  /** Our own image, which has the guard in it. */
  readonly guardImage: string;
  readonly keeper: StatusKeeper<EtcdCluster>;
}

/** The steps of a reconcile as they are in production. */
export function stepsOf(
  context: ControllerContext,
  { observer, gauges, connections, guardImage, keeper }: StepParts,
): ClusterSteps {
  const { client, isLeading, recorder, metrics, clock } = context;
  const act = createActor({ client, members: connections, guardImage, isLeading, clock });
  const fence = fenceOf(isLeading);
  return {
    async observe(key, pass, signal) {
      const seen = await observer.observe(key, signal, pass);
      if (seen) gauges.show(key, seen);
      return seen;
    },
    plan: decide,
    act: (seen, action, { writes }, signal) => act(seen, action, { writer: new TrackedClient(client, writes), signal }),
    statusAfter,
    isWorthWriting: ({ cluster }, next) => isWorthWriting(cluster.status, next),
    async writeStatus(seen, status, { writes }, signal) {
      const { cluster } = seen;
      fence(`writing the status of EtcdCluster ${cluster.metadata.name}`);
      const { metadata } = await keeper.write(new TrackedClient(client, writes), cluster, status, signal);
      if (status.phase === "Failed" && cluster.status?.phase !== "Failed") metrics.clusters.failed();
      return { ...seen, cluster: { ...cluster, metadata, status } };
    },
    eventsOf,
    record: ({ cluster }, event) => recorder.record(cluster, event),
    recheckMs,
    rest(seen) {
      if (!isAtRest(seen)) return undefined;
      const atMostMs = untilFullMs(situationOf(seen));
      return { kind: "rest", ...(atMostMs !== undefined && { atMostMs }) };
    },
    clock,
  };
}
