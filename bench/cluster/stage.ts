import { KubeClient, resources } from "@etcd-operator/kubernetes-client";
import { connectionFromKubeconfig } from "@etcd-operator/kubernetes-client/connect/kubeconfig.ts";
import { CLIENT_PORT, clientServiceName } from "@etcd-operator/operator/api/cluster/cluster-names.ts";
import { type LocalModeUnderTest, startLocalMode } from "@etcd-operator/testing/local/local-mode.ts";
import type { Cleanup } from "../cleanup.ts";
import { type OperatorGiven, StartedOperator } from "../operator/started-operator.ts";
import { UNATTENDED } from "./by-hand.ts";
import type { MeasuredCluster } from "./contestant.ts";
import { WatchedWorld } from "./watched-world.ts";

/** A local mode, and the operator in a process of its own, which can come and go. */
export class Stage {
  readonly local: LocalModeUnderTest;
  readonly world: WatchedWorld;
  #operator: StartedOperator | undefined;

  static async set(cleanup: Cleanup): Promise<Stage> {
    const local = await cleanup.use(startLocalMode({ operator: false }), (started) => started.dispose());
    const connected = connectionFromKubeconfig(local.kubeconfig).then((connection) => new KubeClient(connection));
    const client = await cleanup.use(connected, (opened) => opened.close());
    const world = await cleanup.use(WatchedWorld.open(client), async (opened) => opened.close());
    await client.create(resources.namespaces, { metadata: { name: UNATTENDED } });
    const stage = new Stage(local, world);
    await cleanup.use(Promise.resolve(stage), (set) => set.stopOperator());
    return stage;
  }

  private constructor(local: LocalModeUnderTest, world: WatchedWorld) {
    this.local = local;
    this.world = world;
  }

  get operator(): StartedOperator {
    if (!this.#operator) throw new Error("the operator has not been started");
    return this.#operator;
  }

  /** Starts it; a caller that needs its watches has to wait for them. */
  async startOperator(given: Omit<OperatorGiven, "local"> = {}): Promise<StartedOperator> {
    this.#operator = await StartedOperator.start({ local: this.local, ...given });
    return this.#operator;
  }

  async stopOperator(): Promise<void> {
    await this.#operator?.stop();
    this.#operator = undefined;
  }

  /** Where the clients of a cluster are led to now. */
  addressesOf({ namespace, name }: MeasuredCluster): readonly string[] {
    const service = { namespace, name: clientServiceName(name) };
    return this.world.addresses(service).map(({ ip }) => `${ip}:${CLIENT_PORT}`);
  }
}
