import type { Resource, Stored } from "@etcd-operator/kubernetes-client";
import { hasCode, resources } from "@etcd-operator/kubernetes-client";
import type { EtcdCluster } from "@etcd-operator/operator/api/etcd-cluster.ts";
import { ownResources } from "@etcd-operator/operator/objects/own-resources.ts";
import { aManifest } from "@etcd-operator/testing/scenario/cluster/a-manifest.ts";
import { ClusterUnderTest } from "@etcd-operator/testing/scenario/cluster/cluster-under-test.ts";
import type { MemberEndpoint, Witness } from "@etcd-operator/testing/scenario/data/witness.ts";
import { until } from "@etcd-operator/testing/until.ts";
import type { Pod } from "kubernetes-types/core/v1.d.ts";
import { objectsIn } from "../local-world/namespaces-are-gone.ts";
import { MembershipWatch } from "../membership/membership-watch.ts";
import { Recorder } from "./history/recorder.ts";
import type { Attempt } from "./nemesis/attempts.ts";
import type { LoadPlan } from "./plan.ts";
import type { LoadWorld } from "./world.ts";

/** Every cluster has this name, each in a namespace of its own. */
const CLUSTER = "etcd";
/** Shorter than a user would have it, so that there is something to see. */
const REPLACE_AFTER_SECONDS = 15;
const SETTLE_MS = 180_000;

/** One plan's cluster, its clients' history, and what is known of both. */
export class Stage {
  readonly plan: LoadPlan;
  readonly world: LoadWorld;
  readonly namespace: string;
  readonly cluster: ClusterUnderTest;
  readonly membership: MembershipWatch;
  readonly recorder = new Recorder(() => performance.now());
  /** What happened, for the analysis of a failure. */
  readonly notes: string[] = [];
  readonly failures: string[] = [];
  /** What was to be done to it, and whether it was. */
  readonly attempts: Attempt[] = [];
  /** One of each epoch, the last one at work. */
  readonly witnesses: Witness[] = [];
  /** Waits until all watches got everything up to a revision. */
  haveSeen: (revision: bigint) => Promise<void> = async () => undefined;
  /** How many members were asked for last. */
  size: number;
  /** Which etcd was asked for last. */
  version: string;
  readonly #began = performance.now();
  #turn: Promise<unknown> = Promise.resolve();

  constructor(plan: LoadPlan, world: LoadWorld) {
    this.plan = plan;
    this.world = world;
    this.size = plan.size;
    this.version = plan.versions[0];
    this.namespace = `load-${plan.name}`;
    this.cluster = new ClusterUnderTest(world.client, { name: CLUSTER, namespace: this.namespace });
    this.membership = new MembershipWatch(this.cluster);
  }

  note(what: string): void {
    this.notes.push(`${((performance.now() - this.#began) / 1000).toFixed(1)} s: ${what}`);
  }

  async open(): Promise<void> {
    const { client } = this.world;
    const { namespace, plan } = this;
    const metadata = { name: namespace };
    await insist(() => client.create(resources.namespaces, { apiVersion: "v1", kind: "Namespace", metadata }));
    const manifest = aManifest(CLUSTER, {
      namespace,
      isClusterWide: true,
      size: plan.size,
      version: plan.versions[0],
      claims: plan.claims,
      bootstrap: plan.bootstrap,
      whenDeleted: "Delete",
      replaceAfterSeconds: REPLACE_AFTER_SECONDS,
    });
    // The API server judges it and fills in the rest.
    await insist(() => client.create(ownResources.etcdClusters, manifest as unknown as EtcdCluster));
    this.membership.start();
    await this.cluster.settled(plan.size, SETTLE_MS);
    this.recorder.beginEpoch(await this.clusterId());
    await this.startWitness();
  }

  async clusterId(): Promise<bigint> {
    const { status } = await until(() => this.cluster.get(), { what: "the EtcdCluster" });
    if (!status?.clusterID) throw new Error("the status does not say which cluster it is");
    return BigInt(`0x${status.clusterID}`);
  }

  get epoch() {
    const epoch = this.recorder.epochs.at(-1);
    if (!epoch) throw new Error("there is no cluster yet");
    return epoch;
  }

  /** Every epoch has its own, since each follows one cluster. */
  async startWitness(): Promise<void> {
    const options = { name: `epoch-${this.epoch.number}`, writers: 2, paceMs: 60 };
    this.witnesses.push(await until(() => this.cluster.witness(options), { what: "a witness" }));
  }

  async stopWitness(): Promise<void> {
    const witness = this.witnesses.at(-1);
    await witness?.stop();
    if (witness) this.note(witness.describe());
  }

  async ask(spec: object, patienceMs?: number): Promise<void> {
    await insist(() => this.cluster.changeSpec(spec), patienceMs);
  }

  async settled(timeoutMs = SETTLE_MS): Promise<void> {
    await this.cluster.settled(this.size, timeoutMs);
  }

  /** The pods whose members play a part now. */
  async playing(who: "leader" | "follower" | "all"): Promise<readonly Stored<Pod>[]> {
    if (who === "all") return until(() => this.cluster.pods(), { what: `the pods of ${this.namespace}` });
    const { leader, followers } = await this.cluster.roles();
    return who === "leader" ? [leader] : followers.slice(0, 1);
  }

  /** The voters, each to be asked by itself. */
  voters(): Promise<readonly MemberEndpoint[]> {
    return until(() => this.cluster.voters(), { what: `the members of ${this.namespace}` });
  }

  /** No two of these at a time: before a disk is taken, all others have to be healthy. */
  inTurn<Result>(act: () => Promise<Result>): Promise<Result> {
    const done = this.#turn.then(act);
    this.#turn = done.catch(() => undefined);
    return done;
  }

  async close(): Promise<void> {
    await insist(() => this.cluster.delete());
    await this.cluster.isGone();
    await this.#leavesNothing();
    await insist(() => this.world.client.delete(resources.namespaces, { name: this.namespace }));
  }

  /** Also of what bears no label of the cluster. */
  async #leavesNothing(): Promise<void> {
    const kinds = [resources.services, resources.podDisruptionBudgets, resources.secrets] as readonly Resource[];
    const left = await until(() => objectsIn(this.world.client, this.namespace, kinds), {
      what: "a look at what is left",
    });
    if (left.length > 0) throw new Error(`the cluster is gone, and left are ${left.join(", ")}`);
  }
}

/** Says it again while the API server is away; what was done already is done. */
export async function insist(say: () => Promise<unknown>, patienceMs = 30_000): Promise<void> {
  const isSaid = () =>
    say().then(
      () => true,
      (error: unknown) => {
        if (hasCode(error, "already-exists")) return true;
        throw error;
      },
    );
  const what = "the API server to take what it was told";
  await until(isSaid, { what, everyMs: 200, timeoutMs: patienceMs }).catch((error: Error) => {
    throw new Error(`${error.message}: ${String(error.cause)}`);
  });
}
