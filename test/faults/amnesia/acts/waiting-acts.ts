import type { EtcdCluster } from "../../../../src/api/etcd-cluster.ts";
import { conditionOf, is } from "../../../support/scenario/settled.ts";
import { staysSo } from "../../../support/scenario/stays-so.ts";
import type { Acts } from "../acts.ts";
import type { Stage } from "../stage.ts";

type Kinds = "write" | "settle" | "gone" | "loss-is-told" | "wait-for-harm";

/** What the operator promises: a loss is on record before half a minute is over. */
const TOLD_WITHIN_MS = 30_000;
const UNTOUCHED_FOR_MS = 6_000;
const SETTLE_MS = 90_000;

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
  "loss-is-told": (stage, { who }) =>
    lossIsTold(
      stage,
      who.map((role) => stage.nameOf(role)),
    ),
  async "wait-for-harm"(stage, { forMs }) {
    await staysSo(async () => stage.witness?.assertUnbroken(), { forMs });
  },
};

/** Says so, names them, and touches nothing: no claim goes, nobody new comes, and it is the same cluster. */
async function lossIsTold(stage: Stage, names: readonly string[]): Promise<void> {
  const { cluster } = stage;
  const before = await untouchable(stage);
  const isTold = (seen: EtcdCluster) => is(seen, "QuorumLost") && is(seen, "Available", "False");
  const told = await cluster.becomes("to report the loss", isTold, TOLD_WITHIN_MS);
  const { message = "" } = conditionOf(told, "QuorumLost") ?? {};
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
