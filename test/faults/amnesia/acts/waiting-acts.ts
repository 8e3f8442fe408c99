import { resources } from "@etcd-operator/kubernetes-client";
import type { EtcdCluster } from "@etcd-operator/operator/api/etcd-cluster.ts";
import { ownAnnotations } from "@etcd-operator/operator/cluster/observe/own-annotations.ts";
import { conditionOf, is } from "@etcd-operator/testing/scenario/cluster/settled.ts";
import { staysSo } from "@etcd-operator/testing/scenario/stays-so.ts";
import { until } from "@etcd-operator/testing/until.ts";
import type { Acts } from "../acts.ts";
import type { Role } from "../plan.ts";
import type { Stage } from "../stage.ts";

type Kinds = "write" | "settle" | "gone" | "noted" | "loss-is-told" | "wait-for-harm";

/** What the operator promises: a loss is on record before half a minute is over. */
const TOLD_WITHIN_MS = 30_000;
const UNTOUCHED_FOR_MS = 6_000;
const SETTLE_MS = 90_000;
/** While a voter is missing: two of the operator's slow ticks, and what it waits between two notes. */
const NOTED_WITHIN_MS = 60_000;

/** What is waited for. */
export const waitingActs: Acts<Kinds> = {
  async write(stage, { count }) {
    await stage.witness?.writesAgain(count);
  },
  settle: (stage, { size }) => stage.cluster.settled(size, SETTLE_MS),
  gone: (stage, { who }) =>
    stage.cluster.areRemoved(
      who.map((role) => stage.actor(role).pod),
      SETTLE_MS,
    ),
  noted: (stage, { who }) => Promise.all(who.map((role) => isNoted(stage, role))),
  "loss-is-told": (stage, { who }) =>
    lossIsTold(
      stage,
      who.map((role) => stage.nameOf(role)),
    ),
  async "wait-for-harm"(stage, { forMs }) {
    await staysSo(async () => stage.witness?.assertUnbroken(), { forMs });
  },
};

async function isNoted(stage: Stage, role: Role): Promise<void> {
  const { client } = stage.world;
  const ref = { namespace: stage.namespace, name: stage.nameOf(role) };
  const holder = () =>
    stage.plan.claims ? client.get(resources.persistentVolumeClaims, ref) : client.get(resources.pods, ref);
  const noteOf = async () => ownAnnotations(await holder()).logReached;
  // Times are in whole seconds.
  const since = Math.floor(Date.now() / 1000) * 1000;
  const isNew = async () => Date.parse((await noteOf())?.at ?? "") > since;
  await until(isNew, { what: `the log of ${ref.name} to be noted`, timeoutMs: NOTED_WITHIN_MS, everyMs: 200 });
}

/**
 * Reports it, names them, and changes nothing: no claim is deleted, no member is added, and the cluster is the same.
 */
async function lossIsTold(stage: Stage, names: readonly string[]): Promise<void> {
  const { cluster } = stage;
  const before = await untouchable(stage);
  const isTold = (seen: EtcdCluster) => is(seen, "QuorumLost") && is(seen, "Available", "False");
  await cluster.becomes("to report the loss", isTold, TOLD_WITHIN_MS);
  // A guard may be slow; but what it found must be reported before anything is repaired.
  const { refusals = [] } = stage.plan.expect;
  const lossOf = (seen: EtcdCluster) => conditionOf(seen, "QuorumLost")?.message ?? "";
  const isWhy = (seen: EtcdCluster) => isTold(seen) && refusals.every((refusal) => lossOf(seen).includes(refusal));
  const message = lossOf(await cluster.becomes("to tell what guards refused", isWhy, SETTLE_MS));
  for (const name of names) if (!message.includes(name)) throw new Error(`'${message}' does not name ${name}`);
  await staysSo(
    async () => {
      const now = await untouchable(stage);
      if (JSON.stringify(now) !== JSON.stringify(before)) {
        throw new Error(`without a majority ${JSON.stringify(before)} became ${JSON.stringify(now)}`);
      }
      if (!isTold(await cluster.get())) throw new Error("the loss of the majority is not told any more");
    },
    { forMs: UNTOUCHED_FOR_MS },
  );
}

async function untouchable({ cluster }: Stage) {
  const [{ status }, claims] = [await cluster.get(), await cluster.claims()];
  return {
    clusterID: status?.clusterID,
    incarnation: status?.incarnation,
    members: (status?.memberStatus ?? []).map(({ name, id }) => `${name} ${id}`).sort(),
    claims: claims.map(({ metadata }) => metadata.uid).sort(),
  };
}
