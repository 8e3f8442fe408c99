import type { KubeClient } from "@etcd-operator/kubernetes-client";
import { resources } from "@etcd-operator/kubernetes-client";
import { openWorkspace } from "@etcd-operator/testing/kube/control-plane/workspace.ts";
import { until } from "@etcd-operator/testing/until.ts";
import type { Cleanup } from "../cleanup.ts";
import { clientFor } from "./client-for.ts";
import { CountingProxy } from "./counting-proxy.ts";
import { FleetCertificates } from "./fleet-certificates.ts";
import { clusterName, NAMESPACE, SIZE } from "./fleet-names.ts";
import { type LoneApiServerGiven, startLoneApiServer } from "./lone-api-server.ts";
import { type OperatorGiven, OperatorRun } from "./operator-run.ts";
import { makeOriginal } from "./original.ts";
import { type Seed, seed } from "./seed.ts";
import { Simulation } from "./simulation/simulation.ts";

export interface StageGiven extends LoneApiServerGiven {
  /** Clients of the members, and so the operator, have to show a certificate. */
  readonly isTls?: boolean;
}

/** An API server, all members, and the fleet; the operator comes and goes. */
export class Stage {
  readonly client: KubeClient;
  readonly proxy: CountingProxy;
  readonly simulation: Simulation;
  readonly #operated: OperatorGiven;
  readonly #seed: Seed;
  #clusters = 1;

  /** Starts everything, and has the operator make the first cluster. */
  static async set(given: StageGiven, cleanup: Cleanup): Promise<Stage> {
    const { access } = await cleanup.use(startLoneApiServer(given), (server) => server.close());
    const client = clientFor(access, "bench");
    await cleanup.use(Promise.resolve(client), (opened) => opened.close());
    await client.create(resources.namespaces, { metadata: { name: NAMESPACE } });
    // Admission gives it to every pod, and there is no controller that would make it.
    await client.create(resources.serviceAccounts, { metadata: { namespace: NAMESPACE, name: "default" } });
    const certificates = given.isTls ? await FleetCertificates.create() : undefined;
    for (const secret of (await certificates?.secretsOf(clusterName(0))) ?? [])
      await client.create(resources.secrets, secret);
    const workspace = await cleanup.use(openWorkspace("bench-scale-"), ({ close }) => close());
    const proxy = await cleanup.use(CountingProxy.start(access, workspace.directory), (started) => started.close());
    const simulation = await cleanup.use(Simulation.start(access, certificates !== undefined), (started) =>
      started.stop(),
    );
    // Operators first, while the API server can still take their goodbyes.
    await cleanup.use(Promise.resolve(workspace), ({ processes }) => Promise.all(processes.map((each) => each.stop())));
    const operated = { workspace, kubeconfig: proxy.kubeconfig };
    const operator = await OperatorRun.start(operated);
    const original = await makeOriginal(client, certificates !== undefined, operator.diedEarly);
    await operator.stop();
    return new Stage({ client, proxy, simulation, operated, seed: { client, original, certificates } });
  }

  private constructor(parts: {
    client: KubeClient;
    proxy: CountingProxy;
    simulation: Simulation;
    operated: OperatorGiven;
    seed: Seed;
  }) {
    this.client = parts.client;
    this.proxy = parts.proxy;
    this.simulation = parts.simulation;
    this.#operated = parts.operated;
    this.#seed = parts.seed;
  }

  /** How many clusters the fleet has. */
  get clusters(): number {
    return this.#clusters;
  }

  /** Lets the fleet grow while no operator runs. */
  async growTo(clusters: number): Promise<void> {
    await seed(this.#seed, this.#clusters, clusters);
    this.#clusters = Math.max(this.#clusters, clusters);
    const areAllUp = async () => (await this.simulation.report()).members === this.#clusters * SIZE;
    await until(areAllUp, { what: `the members of ${clusters} clusters to run`, timeoutMs: 120_000 });
  }

  async startOperator(): Promise<OperatorRun> {
    return OperatorRun.start(this.#operated);
  }
}
