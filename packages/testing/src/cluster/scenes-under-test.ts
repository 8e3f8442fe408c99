import { ApiUnderTest, type ClusterUnderTest } from "./act-under-test.ts";
import { EtcdUnderTest } from "./etcd-under-test.ts";

/** An EtcdCluster and the members that run for it, which end with the scene. */
export interface Scene extends AsyncDisposable {
  readonly at: ClusterUnderTest;
  readonly etcd: EtcdUnderTest;
}

/** For tests: clusters with members that run, any number of them at a time, on one API server. */
export class ScenesUnderTest {
  readonly #api: ApiUnderTest;
  /** Those that run; an aborted test leaves its own behind. */
  readonly #started = new Set<EtcdUnderTest>();

  static async start(): Promise<ScenesUnderTest> {
    return new ScenesUnderTest(await ApiUnderTest.start());
  }

  private constructor(api: ApiUnderTest) {
    this.#api = api;
  }

  async running(names: readonly string[], spec: object = {}): Promise<Scene> {
    const etcd = await EtcdUnderTest.start("3.5.16", ...names);
    this.#started.add(etcd);
    const at = await this.#api.aCluster(spec, { clusterID: await etcd.clusterId(), incarnation: 1 });
    await at.runs(etcd);
    return { at, etcd, [Symbol.asyncDispose]: () => this.#stop(etcd) };
  }

  async stop(): Promise<void> {
    await Promise.all([...this.#started].map((etcd) => this.#stop(etcd)));
    await this.#api.stop();
  }

  async #stop(etcd: EtcdUnderTest): Promise<void> {
    this.#started.delete(etcd);
    await etcd.stop();
  }
}

/** The names of the pods that are being deleted. */
export async function leaving(at: ClusterUnderTest): Promise<readonly string[]> {
  return (await at.observe()).pods.filter(({ isTerminating }) => isTerminating).map(({ name }) => name);
}
