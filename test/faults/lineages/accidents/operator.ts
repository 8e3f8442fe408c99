import { resources } from "@etcd-operator/kubernetes-client";
import type { EtcdClusterStatus } from "@etcd-operator/operator/api/etcd-cluster.ts";
import { ownResources } from "@etcd-operator/operator/objects/own-resources.ts";
import { CLUSTER } from "../../workloads/stage.ts";
import { NAMESPACE } from "../../world/world.ts";
import type { Accident } from "../accident.ts";
import type { Scene } from "../scene.ts";

const HOUR_MS = 3_600_000;
const RESTART_LIMIT_MS = 15_000;

/** How long a member is down before the clock is set: seen, and far from long enough for another to replace it. */
const DOWN_MS = 4_000;

/** The clock of the operator's machine jumps an hour ahead, while a member restarts; later it is corrected. */
export const clockStepped: Accident = {
  id: "clock-stepped",
  happen: async (scene) => {
    const [pod] = scene.stage.memberPods;
    if (pod) await restarted(scene, pod.metadata.name);
    await scene.stage.time.pass(DOWN_MS);
    scene.clock.set(HOUR_MS);
    scene.met.push("clock-stepped");
  },
  end: async (scene) => scene.clock.set(0),
};

/** Killed twice: the second time its kubelet waits for ten seconds before it starts it again. */
async function restarted({ machine, stage }: Scene, pod: string): Promise<void> {
  const isUp = () => machine.etcd.processOf(pod)?.isServing === true;
  machine.kubelet.killContainer(pod);
  await stage.time.until(() => !isUp(), RESTART_LIMIT_MS);
  await stage.time.until(isUp, RESTART_LIMIT_MS);
  machine.kubelet.killContainer(pod);
}

/** A word of a later release, of which this one knows nothing. */
const LATER = "OfALaterRelease";

/**
 * A later release has written a status, with words of its own that its CRD allows, and then this one is put in its
 * place: for it that is what every release is to the one before. In the end the later one is back, and goes on with
 * what it had written.
 */
export const operatorRolledBack: Accident = {
  id: "operator-rolled-back",
  happen: async (scene) => {
    await laterDefinition(scene);
    const { status } = scene.stage.cluster ?? {};
    if (status) await writeStatus(scene, later(status));
    if (JSON.stringify(scene.stage.cluster?.status ?? {}).includes(LATER)) scene.met.push("operator-rolled-back");
    scene.world.crashOperator();
  },
  end: async (scene) => {
    const { status } = scene.stage.cluster ?? {};
    if (status) await writeStatus(scene, known(status));
    scene.world.crashOperator();
  },
};

/** Allows the word wherever a status names one of several. */
async function laterDefinition({ stage }: Scene): Promise<void> {
  const name = "etcdclusters.etcd.database.coreos.com";
  const definition = await stage.user.get(resources.customResourceDefinitions, { name });
  const spec = structuredClone(definition.spec);
  for (const { schema } of spec.versions) allow((schema?.openAPIV3Schema?.properties as Schema | undefined)?.status);
  await stage.user.update(resources.customResourceDefinitions, { ...definition, spec });
  await stage.time.pass(1_000);
}

type Schema = { [key: string]: Schema } & { enum?: string[] };

function allow(schema: unknown): void {
  if (typeof schema !== "object" || schema === null) return;
  for (const [key, value] of Object.entries(schema)) {
    if (key === "enum" && Array.isArray(value) && !value.includes(LATER)) value.push(LATER);
    else allow(value);
  }
}

async function writeStatus({ stage }: Scene, status: object): Promise<void> {
  await stage.user.patchStatus(
    ownResources.etcdClusters,
    { namespace: NAMESPACE, name: CLUSTER },
    { merge: { status } },
  );
}

/** What it knows, in words that are not ours; what they mean is noted in the reason, which is free text. */
function later({ memberStatus = [], restore }: EtcdClusterStatus): object {
  return {
    memberStatus: memberStatus.map((member, at) => (at === 0 ? { ...member, role: LATER } : member)),
    ...(restore && { restore: { ...restore, state: LATER, reason: restore.state } }),
  };
}

function known({ memberStatus = [], restore }: EtcdClusterStatus): object {
  const role = (said: string) => (said === LATER ? "Unknown" : said);
  const isLater = String(restore?.state) === LATER;
  return {
    memberStatus: memberStatus.map((member) => ({ ...member, role: role(member.role) })),
    ...(restore && isLater && { restore: { ...restore, state: restore.reason, reason: null } }),
  };
}
