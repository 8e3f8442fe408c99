import { randomBytes } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { connectEtcd, type EtcdClient, EtcdError, type EtcdErrorCode, parseVersion } from "@etcd-operator/etcd-client";
import type { ObjectRef, Stored } from "@etcd-operator/kubernetes-client";
import { resources } from "@etcd-operator/kubernetes-client";
import type { WorkerEndpoint } from "@etcd-operator/object-store";
import {
  CLIENT_PORT,
  memberAddresses,
  memberName,
  namespaceOf,
} from "@etcd-operator/operator/api/cluster/cluster-names.ts";
import type { EtcdCluster } from "@etcd-operator/operator/api/etcd-cluster.ts";
import { ANNOTATIONS, VOTER_CONDITION } from "@etcd-operator/operator/cluster/objects/annotations.ts";
import { claim } from "@etcd-operator/operator/cluster/objects/claim.ts";
import { ETCD_CONTAINER, etcdImage, memberPod } from "@etcd-operator/operator/cluster/objects/pod/pod.ts";
import { clusterToken, type Peer, type Start } from "@etcd-operator/operator/cluster/objects/pod/start.ts";
import { clientService, peerService } from "@etcd-operator/operator/cluster/objects/service.ts";
import { RECEIVE_CONTAINER } from "@etcd-operator/operator/transfer/names.ts";
import { endpointOf, makeTransferSecret } from "@etcd-operator/operator/transfer/trust/transfer-secret.ts";
import type { Pod, Secret } from "kubernetes-types/core/v1.d.ts";
import { VERSION } from "./contestant.ts";
import type { WatchedWorld } from "./watched-world.ts";
import { ASK_MS } from "./whole-cluster.ts";

const INCARNATION = 1;
const GUARD_IMAGE = "etcd-operator";

/** Who is told of changes to the members. */
export interface Leader {
  readonly client: EtcdClient;
  /** In hexadecimal. */
  readonly clusterId: string;
}

/** In hexadecimal. */
export interface Ids {
  readonly clusterId: string;
  readonly memberId: string;
}

/** The single steps to a cluster, from objects that are the operator's own: so the pods are the same. */
export class MadeCluster {
  readonly #world: WatchedWorld;
  readonly #owner: Stored<EtcdCluster>;

  constructor(world: WatchedWorld, owner: Stored<EtcdCluster>) {
    this.#world = world;
    this.#owner = owner;
  }

  async makeServices(): Promise<void> {
    const { client } = this.#world;
    const services = [peerService(this.#owner), clientService(this.#owner)];
    await Promise.all(services.map((service) => client.create(resources.services, service)));
  }

  /** Pods that found the cluster together. They vote from the beginning, so they are opened to clients at once. */
  async makeSeeds(count: number): Promise<readonly [Peer, ...Peer[]]> {
    const seeds: [Peer, ...Peer[]] = [this.#newPeer()];
    while (seeds.length < count) seeds.push(this.#newPeer());
    const token = clusterToken(this.#owner, INCARNATION);
    await Promise.all(
      seeds.map(async (seed) => {
        await this.#makePod(seed.name, { kind: "seed", token, peers: seeds.filter((other) => other !== seed) });
        await this.#openGate(seed.name);
      }),
    );
    return seeds;
  }

  /** A pod that makes the first member from a snapshot, and what its first container takes the snapshot by. */
  async makeRestored(): Promise<{ readonly seed: Peer; readonly secret: Secret }> {
    const seed = this.#newPeer();
    const token = clusterToken(this.#owner, INCARNATION);
    const pod = await this.#makePod(seed.name, {
      kind: "restored",
      token,
      revisionBump: 1_000_000_000,
      restoreUid: "-",
    });
    const secret = await makeTransferSecret(pod);
    await this.#world.client.create(resources.secrets, secret);
    return { seed, secret };
  }

  /** Where the first container of such a pod listens, as soon as it does. */
  async receiver({ name }: Peer, secret: Secret): Promise<WorkerEndpoint> {
    const ref = this.#ref(name);
    const ip = await this.#world.until(`${name} to receive`, () => {
      const { initContainerStatuses = [], podIP } = this.#world.pod(ref)?.status ?? {};
      return initContainerStatuses.some(({ name: each, state }) => each === RECEIVE_CONTAINER && state?.running)
        ? podIP
        : undefined;
    });
    return endpointOf(secret, ip);
  }

  /** An initial member votes from the beginning. */
  async openToClients({ name }: Peer): Promise<void> {
    await this.#openGate(name);
  }

  /** Adds a learner, makes its pod and promotes it as soon as etcd lets us; then clients may come. */
  async join({ client, clusterId }: Leader, peers: readonly Peer[]): Promise<Peer> {
    const peer = this.#newPeer();
    const id = await addLearner(client, peer.peerUrl);
    await this.#makePod(peer.name, { kind: "joining", clusterId, peers });
    await this.identify(peer.name, { clusterId, memberId: id.toString(16) });
    await promote(client, id);
    await this.#openGate(peer.name);
    return peer;
  }

  /** Makes the pod of a member again that has its data. */
  async bringBack(member: string, ids: Ids): Promise<void> {
    await this.#makePod(member, { kind: "returning", ...ids });
    await this.#openGate(member);
  }

  /** Another version for a member, in the pod that it has. */
  async changeImage(member: string, version: string): Promise<void> {
    const containers = [{ name: ETCD_CONTAINER, image: etcdImage(this.#owner, version) }];
    await this.#world.client.patch(resources.pods, this.#ref(member), { strategic: { spec: { containers } } });
  }

  /** Writes on a pod whose data it holds, which its guard will insist on; so not before the guard has let it start. */
  async identify(member: string, { clusterId, memberId }: Ids): Promise<void> {
    await this.#running(member);
    const annotations = { [ANNOTATIONS.memberId]: memberId, [ANNOTATIONS.clusterId]: clusterId };
    await this.#world.client.patch(resources.pods, this.#ref(member), { merge: { metadata: { annotations } } });
  }

  /** A client of the first member, as soon as it answers reads. */
  async leader({ name }: Peer): Promise<Leader> {
    const ref = this.#ref(name);
    const ip = await this.#world.until(`the address of ${name}`, () => this.#world.pod(ref)?.status?.podIP);
    const client = connectEtcd({ address: `${ip}:${CLIENT_PORT}` });
    while ((await client.health()).health !== "healthy") await pause(ASK_MS);
    return { client, clusterId: (await client.status()).clusterId.toString(16) };
  }

  async #makePod(member: string, start: Start): Promise<Stored<Pod>> {
    const { client } = this.#world;
    const wanted = start.kind === "returning" ? undefined : claim(this.#owner, member, INCARNATION);
    if (wanted) await client.create(resources.persistentVolumeClaims, wanted);
    const version = parseVersion(VERSION);
    if (!version) throw new Error(`'${VERSION}' is not a version of etcd`);
    const given = { cluster: this.#owner, member, version, incarnation: INCARNATION, start, guardImage: GUARD_IMAGE };
    return client.create(resources.pods, memberPod(given));
  }

  async #openGate(name: string): Promise<void> {
    const conditions = [{ type: VOTER_CONDITION, status: "True" }];
    await this.#world.client.patchStatus(resources.pods, this.#ref(name), { strategic: { status: { conditions } } });
  }

  async #running(name: string): Promise<void> {
    const ref = this.#ref(name);
    const isRunning = () => this.#world.pod(ref)?.status?.phase === "Running" || undefined;
    await this.#world.until(`${name} to run`, isRunning);
  }

  #ref(name: string): ObjectRef {
    return { namespace: namespaceOf(this.#owner), name };
  }

  #newPeer(): Peer {
    const name = memberName(this.#owner.metadata.name, randomBytes(5).toString("hex"));
    return { name, peerUrl: memberAddresses(this.#owner, name).peerUrl };
  }
}

/** What is lost while another leader comes; whether it was done has to be seen. */
const UNCERTAIN: readonly EtcdErrorCode[] = ["unavailable", "deadline", "no-leader", "not-leader", "unknown"];
const UNCERTAIN_MS = 500;

/** Removes a member; one that is not there any more is removed. */
export async function removeMember(client: EtcdClient, id: bigint): Promise<void> {
  const isDone = (error: unknown) => error instanceof EtcdError && error.code === "not-found";
  await again(["unhealthy-cluster", ...UNCERTAIN], () =>
    client.removeMember(id, { timeoutMs: UNCERTAIN_MS }).catch(unless(isDone)),
  );
}

async function promote(client: EtcdClient, id: bigint): Promise<void> {
  const isDone = (error: unknown) => error instanceof EtcdError && error.code === "member-not-learner";
  await again(["learner-not-ready", ...UNCERTAIN], () =>
    client.promoteMember(id, { timeoutMs: UNCERTAIN_MS }).catch(unless(isDone)),
  );
}

function unless(isFine: (error: unknown) => boolean): (error: unknown) => void {
  return (error) => {
    if (!isFine(error)) throw error;
  };
}

async function addLearner(client: EtcdClient, peerUrl: string): Promise<bigint> {
  const asked = { peerUrls: [peerUrl], asLearner: true };
  return again(["unhealthy-cluster", ...UNCERTAIN], async () => {
    try {
      return (await client.addMember(asked, { timeoutMs: UNCERTAIN_MS })).id;
    } catch (error) {
      if (!(error instanceof EtcdError) || !UNCERTAIN.includes(error.code)) throw error;
      const added = (await client.members()).find(({ peerUrls }) => peerUrls.includes(peerUrl));
      if (!added) throw error;
      return added.id;
    }
  });
}

/** Asks again and again while etcd says "not now". */
async function again<Answer>(notNow: readonly EtcdErrorCode[], ask: () => Promise<Answer>): Promise<Answer> {
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      if (!(error instanceof EtcdError) || !notNow.includes(error.code)) throw error;
      await pause(ASK_MS);
    }
  }
}
