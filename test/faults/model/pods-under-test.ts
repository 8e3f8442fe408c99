import { parseVersion } from "@etcd-operator/etcd-client";
import type { Stored } from "@etcd-operator/kubernetes-client";
import { resources } from "@etcd-operator/kubernetes-client";
import { claim } from "@etcd-operator/operator/cluster/objects/claim.ts";
import { ETCD_CONTAINER, memberPod } from "@etcd-operator/operator/cluster/objects/pod/pod.ts";
import type { Start } from "@etcd-operator/operator/cluster/objects/pod/start.ts";
import { A_CLAIM, anEtcdCluster } from "@etcd-operator/testing/cluster/an-etcd-cluster.ts";
import type { Pod } from "kubernetes-types/core/v1.d.ts";
import { randomOf } from "../../model/random.ts";
import { Writes } from "../transport/writes.ts";
import { ModelMachine } from "../world/model-machine.ts";
import { VirtualTime } from "../world/virtual-time.ts";
import { NAMESPACE, World } from "../world/world.ts";

interface MemberGiven {
  readonly start?: Start;
  readonly version?: string;
  readonly hasClaim?: boolean;
  readonly annotations?: Readonly<Record<string, string>>;
}

export const SEED: Start = { kind: "seed", token: "t", peers: [] };

/** For tests of the kubelet's model: pods as the operator makes them, in a world where no operator is at work. */
export class PodsUnderTest {
  readonly time: VirtualTime;
  readonly world: World<ModelMachine>;

  static async open(): Promise<PodsUnderTest> {
    const [time, random] = [new VirtualTime(), randomOf(1)];
    const world = await World.open({
      ...{ time, writes: new Writes(), random },
      machine: (client, signal) => new ModelMachine({ client, signal, random }),
    });
    return new PodsUnderTest(time, world);
  }

  private constructor(time: VirtualTime, world: World<ModelMachine>) {
    this.time = time;
    this.world = world;
  }

  /** Makes the pod of a member, and its claim where it has none yet. */
  async member(name: string, given: MemberGiven = {}): Promise<void> {
    const { start = SEED, version = "3.5.16", hasClaim = false, annotations = {} } = given;
    const spec = { version, ...(hasClaim && { pod: { persistentVolumeClaimSpec: A_CLAIM } }) };
    const cluster = anEtcdCluster(spec, { name: "a", namespace: NAMESPACE });
    const wanted = claim(cluster, name, 1);
    const isMade = this.world.objects
      .of(resources.persistentVolumeClaims)
      .some(({ metadata }) => metadata.name === name);
    if (wanted && !isMade) await this.world.admin.create(resources.persistentVolumeClaims, wanted);
    const known = parseVersion(version) ?? { major: 3, minor: 5, patch: 16 };
    const made = { cluster, member: name, version: known, incarnation: 1, start, guardImage: "etcd-operator:test" };
    const pod = memberPod(made);
    // No object here is the owner.
    const { ownerReferences: _, ...metadata } = {
      ...pod.metadata,
      annotations: { ...pod.metadata?.annotations, ...annotations },
    };
    await this.world.admin.create(resources.pods, { ...pod, metadata });
  }

  get(name: string): Stored<Pod> | undefined {
    return this.world.objects.of(resources.pods).find(({ metadata }) => metadata.name === name);
  }

  etcd(name: string) {
    return this.get(name)?.status?.containerStatuses?.find((each) => each.name === ETCD_CONTAINER);
  }

  init(name: string, container: string) {
    return this.get(name)?.status?.initContainerStatuses?.find((each) => each.name === container);
  }

  async until(holds: () => unknown, limitMs = 60_000): Promise<void> {
    if (await this.time.until(() => Boolean(holds()), limitMs)) return;
    throw new Error(`not within ${limitMs} ms: ${JSON.stringify(this.world.objects.of(resources.pods), null, 1)}`);
  }

  /** Waits until etcd answers in a pod. */
  async running(name: string): Promise<void> {
    await this.until(() => this.etcd(name)?.state?.running && this.etcd(name)?.ready);
  }

  client(name: string) {
    return this.world.machine.connect({ address: `${this.get(name)?.status?.podIP}:2379` });
  }

  async patch(name: string, strategic: object): Promise<void> {
    await this.world.admin.patch(resources.pods, { namespace: NAMESPACE, name }, { strategic });
  }

  async delete(name: string, gracePeriodSeconds?: number): Promise<void> {
    const options = gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds };
    await this.world.admin.delete(resources.pods, { namespace: NAMESPACE, name }, options);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.world.close();
    this.time[Symbol.dispose]();
  }
}
