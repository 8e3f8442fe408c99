import { isDeepStrictEqual } from "node:util";
import type { Endpoint, EndpointTls, Member, MemberStatus } from "@etcd-operator/etcd-client";
import { connectEtcd, type EtcdClient } from "@etcd-operator/etcd-client";
import type { KubeClient, KubeObject, Resource, Stored } from "@etcd-operator/kubernetes-client";
import { hasCode, resources } from "@etcd-operator/kubernetes-client";
import type { EtcdCluster } from "@etcd-operator/operator/api/etcd-cluster.ts";
import { nameOf } from "@etcd-operator/operator/cluster/model/members.ts";
import { ownResources } from "@etcd-operator/operator/objects/own-resources.ts";
import type { PersistentVolumeClaim, Pod } from "kubernetes-types/core/v1.d.ts";
import { until } from "../../until.ts";
import { type MemberEndpoint, Witness, type WitnessOptions } from "../data/witness.ts";
import { unsettled } from "./settled.ts";

export interface MemberAnswer {
  readonly pod: Stored<Pod>;
  readonly status: MemberStatus;
}

const SETTLE_MS = 180_000;
const ASK_MS = 2_000;
const CLIENT_PORT = 2379;

/** From an address inside the cluster to one that the test can connect to. */
export type Reach = (address: string) => Promise<string>;

/** One EtcdCluster: what Kubernetes says of it, and what its members say. */
export class ClusterUnderTest {
  readonly name: string;
  readonly namespace: string;
  /** What clients of this cluster show and believe; plaintext when absent. */
  tls: EndpointTls | undefined;
  readonly #client: KubeClient;
  readonly #witnesses: Witness[] = [];
  readonly #reach: Reach;

  /** On local mode, the addresses inside are those of a bridge of this machine. */
  constructor(
    client: KubeClient,
    { name, namespace }: { name: string; namespace: string },
    reach: Reach = async (address) => address,
  ) {
    this.#client = client;
    this.#reach = reach;
    this.name = name;
    this.namespace = namespace;
  }

  get(): Promise<Stored<EtcdCluster>> {
    return this.#client.get(ownResources.etcdClusters, this);
  }

  async changeSpec(spec: object): Promise<void> {
    await this.#client.patch(ownResources.etcdClusters, this, { merge: { spec } });
  }

  /** Everything that carries the labels of the cluster, with any owner. */
  async labelled<T extends KubeObject>(resource: Resource<T>): Promise<readonly Stored<T>[]> {
    const labelSelector = `app=etcd,etcd_cluster=${this.name}`;
    return (await this.#client.list(resource, { namespace: this.namespace, labelSelector })).items;
  }

  pods(): Promise<readonly Stored<Pod>[]> {
    return this.labelled(resources.pods);
  }

  claims(): Promise<readonly Stored<PersistentVolumeClaim>[]> {
    return this.labelled(resources.persistentVolumeClaims);
  }

  /** Its Events, the oldest first. */
  async events(): Promise<readonly { readonly reason: string; readonly message: string; readonly count: number }[]> {
    const [{ metadata }, { items }] = [
      await this.get(),
      await this.#client.list(resources.events, { namespace: this.namespace }),
    ];
    const at = ({ firstTimestamp }: (typeof items)[number]) => String(firstTimestamp ?? "");
    return items
      .filter(({ involvedObject }) => involvedObject.uid === metadata.uid)
      .sort((one, other) => at(one).localeCompare(at(other)))
      .map(({ reason = "", message = "", count = 1 }) => ({ reason, message, count }));
  }

  /** Asks the reachable members for their identity and their leader. */
  async answers(): Promise<readonly MemberAnswer[]> {
    const asked = (await this.pods()).map(async (pod) => {
      try {
        return [{ pod, status: await this.ask(pod, (client) => client.status()) }];
      } catch {
        return [];
      }
    });
    return (await Promise.all(asked)).flat();
  }

  /** The pod whose member leads, and those of the others; waits while there is no leader. */
  async roles(): Promise<{ leader: Stored<Pod>; followers: readonly Stored<Pod>[] }> {
    return until(
      async () => {
        const answers = await this.answers();
        const newest = answers.reduce((term, { status }) => (status.raftTerm > term ? status.raftTerm : term), 0n);
        const leader = answers.find(({ status }) => status.raftTerm === newest && status.leaderId === status.memberId);
        if (!leader) return undefined;
        const followers = answers.filter((answer) => answer !== leader && !answer.status.isLearner);
        return { leader: leader.pod, followers: followers.map(({ pod }) => pod) };
      },
      { what: `a leader of ${this.name}` },
    );
  }

  /**
   * The members as their leader lists them, each under the name of its pod: a member that was started on another's
   * volume has written its own name over the other's. Those that have not started have none.
   */
  async members(): Promise<readonly Member[]> {
    const { leader } = await this.roles();
    const listed = await this.ask(leader, (client) => client.members());
    return listed.map((member) => (member.name === "" ? member : { ...member, name: nameOf(member) }));
  }

  /** The id of each member, by name; to see which one is still the same. */
  async memberIds(): Promise<Record<string, bigint>> {
    const pairs = (await this.members()).map(({ name, id }) => [name, id] as const);
    return Object.fromEntries(pairs.sort(([one], [other]) => one.localeCompare(other)));
  }

  async memberNames(): Promise<readonly string[]> {
    return Object.keys(await this.memberIds());
  }

  async podUids(): Promise<readonly string[]> {
    return (await this.pods()).map(({ metadata }) => metadata.uid).sort();
  }

  /** Waits until members are not on the list any more. */
  async areRemoved(pods: readonly Stored<Pod>[], timeoutMs = 120_000): Promise<void> {
    const names = pods.map(({ metadata }) => metadata.name);
    const isDone = async () => {
      const now = await this.memberNames();
      return !names.some((name) => now.includes(name));
    };
    await until(isDone, { what: `${names.join(" and ")} to be removed`, timeoutMs, everyMs: 200 });
  }

  async voters(): Promise<readonly MemberEndpoint[]> {
    const [members, pods] = [await this.members(), await this.pods()];
    const voters = members
      .filter(({ isLearner }) => !isLearner)
      .map(async ({ name }) => {
        const pod = pods.find(({ metadata }) => metadata.name === name);
        if (!pod?.status?.podIP) throw new Error(`member '${name}' of ${this.name} has no pod with an address`);
        const address = await this.#reach(`${pod.status.podIP}:${CLIENT_PORT}`);
        return { name, ...this.#endpoint(address, `${name}.${this.name}`) };
      });
    return Promise.all(voters);
  }

  async ask<Answer>(pod: Stored<Pod>, question: (client: EtcdClient) => Promise<Answer>): Promise<Answer> {
    const ip = pod.status?.podIP;
    if (!ip) throw new Error(`pod ${pod.metadata.name} has no address`);
    const address = await this.#reach(`${ip}:${CLIENT_PORT}`);
    const endpoint = this.#endpoint(address, `${pod.metadata.name}.${this.name}`);
    const client = connectEtcd(endpoint, { timeoutMs: ASK_MS });
    try {
      return await question(client);
    } finally {
      client.close();
    }
  }

  /** Writes a key through the leader. */
  async put(key: string, value: string): Promise<bigint> {
    const { leader } = await this.roles();
    return (await this.ask(leader, (client) => client.put({ key, value }))).revision;
  }

  /** What a majority says that a key holds; undefined when there is none. */
  async valueOf(key: string): Promise<string | undefined> {
    const { leader } = await this.roles();
    const { keyValues } = await this.ask(leader, (client) => client.range({ key }));
    return keyValues[0] && Buffer.from(keyValues[0].value).toString();
  }

  /** The revision at which a key was last written. */
  async revisionOf(key: string): Promise<bigint | undefined> {
    const { leader } = await this.roles();
    return (await this.ask(leader, (client) => client.range({ key }))).keyValues[0]?.modRevision;
  }

  /** Waits until all members have the same revision; no client may write meanwhile. */
  async areInSync(): Promise<void> {
    const isSame = async () => new Set((await this.answers()).map(({ status }) => status.revision)).size === 1;
    await until(isSame, { what: `all members of ${this.name} to have the same revision` });
  }

  /** Waits until all is as the spec says, in the status and in truth. */
  async settled(size: number, timeoutMs = SETTLE_MS): Promise<Stored<EtcdCluster>> {
    let missing = "nothing was seen of it yet";
    const isSettled = async () => {
      try {
        const cluster = await this.get();
        const [members, pods] = [await this.members(), await this.pods()];
        missing = unsettled({ cluster, members, pods }, size).join("; ");
        return missing === "" && cluster;
      } catch (error) {
        missing = String(error);
        throw error;
      }
    };
    const what = `${this.name} to settle at ${size} members`;
    return until(isSettled, { what, timeoutMs, everyMs: 200 }).catch((error: Error) => {
      throw new Error(`${error.message}: ${missing}`, { cause: error.cause });
    });
  }

  /**
   * Waits until the claims are those of the members: the claim of a removed member is deleted after it, when the
   * cluster is complete already.
   */
  async hasClaimsOfMembersOnly(): Promise<void> {
    let found = "nothing was seen of them yet";
    const isSo = async () => {
      const claims = (await this.claims()).map(({ metadata }) => metadata.name).sort();
      const members = [...(await this.memberNames())].sort();
      found = `claims ${claims.join(", ")}, members ${members.join(", ")}`;
      return isDeepStrictEqual(claims, members);
    };
    const what = `${this.name} to have the claims of its members and no others`;
    await until(isSo, { what }).catch((error: Error) => {
      throw new Error(`${error.message}: ${found}`, { cause: error.cause });
    });
  }

  /** Waits until the cluster is as the test wants it. */
  async becomes(
    what: string,
    is: (cluster: Stored<EtcdCluster>) => unknown,
    timeoutMs = SETTLE_MS,
  ): Promise<Stored<EtcdCluster>> {
    let last: Stored<EtcdCluster> | undefined;
    const look = async () => {
      last = await this.get();
      return Boolean(is(last)) && last;
    };
    return until(look, { what: `${this.name} ${what}`, timeoutMs, everyMs: 100 }).catch((error: Error) => {
      throw new Error(`${error.message}; its status: ${JSON.stringify(last?.status)}`, { cause: error.cause });
    });
  }

  /** A client that uses the cluster from now on as others would, through its Service. */
  async witness(options: Partial<WitnessOptions> = {}): Promise<Witness> {
    const { metadata } = await this.get();
    const ownService = async () => {
      const ref = { namespace: this.namespace, name: `${this.name}-client` };
      const service = await this.#client.get(resources.services, ref);
      // That of a cluster of the same name, which was deleted a moment ago, leads nowhere any more.
      const isOwn = service.metadata.ownerReferences?.some(({ uid }) => uid === metadata.uid);
      return isOwn && service.spec?.clusterIP;
    };
    const ip = await until(ownService, { what: `the Service of ${this.name}` });
    const address = await this.#reach(`${ip}:${CLIENT_PORT}`);
    const endpoint = () => this.#endpoint(address, `${this.name}-client`);
    const witness = new Witness({ name: this.name, endpoint, ...options });
    this.#witnesses.push(witness);
    return witness;
  }

  /** Ends a witness, and has every voter show that it kept all promises. */
  async verify(witness: Witness): Promise<void> {
    await witness.stop();
    process.stdout.write(`  ${witness.describe()}\n`);
    await witness.check(await this.voters());
  }

  async stopWitnesses(): Promise<void> {
    await Promise.all(this.#witnesses.splice(0).map((witness) => witness.stop()));
  }

  #endpoint(address: string, host: string): Endpoint {
    return this.tls ? { address, tls: this.tls, serverName: `${host}.${this.namespace}.svc` } : { address };
  }

  async delete(): Promise<void> {
    await this.#client.delete(ownResources.etcdClusters, this, { propagationPolicy: "Background" });
  }

  /** Waits until nothing with the cluster's labels is left, but for claims that are to be kept. */
  async isGone({ keepsClaims = false } = {}): Promise<void> {
    const kinds: readonly Resource[] = [
      resources.pods,
      resources.services,
      resources.podDisruptionBudgets,
      resources.endpoints,
      resources.endpointSlices,
      ...(keepsClaims ? [] : [resources.persistentVolumeClaims]),
    ];
    let left: readonly string[] = [];
    const isGone = async () => {
      const isThere = await this.get().then(
        () => ["the EtcdCluster itself"],
        (error: unknown) => (hasCode(error, "not-found") ? [] : [String(error)]),
      );
      const objects = await Promise.all(kinds.map((kind) => this.labelled(kind)));
      left = [...isThere, ...objects.flat().map(({ kind, metadata }) => `${kind} ${metadata.name}`)];
      return left.length === 0;
    };
    await until(isGone, { what: `the end of ${this.name}`, timeoutMs: 60_000 }).catch((error: Error) => {
      throw new Error(`${error.message}; left are: ${left.join(", ")}`, { cause: error.cause });
    });
  }
}
