import { cp } from "node:fs/promises";
import { basename, join } from "node:path";
import { KubeClient } from "@etcd-operator/kubernetes-client";
import { connectionFromKubeconfig } from "@etcd-operator/kubernetes-client/connect/kubeconfig.ts";
import type { EtcdCluster } from "@etcd-operator/operator/api/etcd-cluster.ts";
import { ownResources } from "@etcd-operator/operator/objects/own-resources.ts";
import { afterAll, afterEach, beforeAll, beforeEach } from "vitest";
import { type LocalModeGiven, type LocalModeUnderTest, startLocalMode } from "../local/local-mode.ts";
import { type NetworkFaults, networkFaults } from "../local/network-faults.ts";
import { type NodeBed, openNodeBed } from "../node/node-bed.ts";
import { aManifest, type ManifestOptions } from "./cluster/a-manifest.ts";
import { ClusterUnderTest } from "./cluster/cluster-under-test.ts";
import { diagnosis } from "./diagnosis.ts";
import { OperatorProcess, type OperatorProcessOptions } from "./operator/operator-process.ts";

export interface ScenarioOptions extends Pick<LocalModeGiven, "nodes" | "nodeGraceSeconds"> {
  /** Whether local mode brings the operator along; else the scenario starts its own. "none": not even our CRDs. */
  readonly operator?: boolean | "none";
  /** Whether witnesses go on from test to test; else each ends with its test. */
  readonly keepsWitnesses?: boolean;
}

/**
 * One local mode for all tests of a file, which starts and ends with them; a test that fails reports its state.
 */
export function clusterScenario(options: ScenarioOptions = {}): ClusterScenario {
  const { operator = true, keepsWitnesses = false, ...given } = options;
  const scenario = new ClusterScenario();
  beforeAll(() => scenario.start({ operator, ...given }));
  afterAll(() => scenario.dispose());
  beforeEach(({ onTestFailed }) => onTestFailed(async () => scenario.tell()));
  afterEach(async () => {
    if (!keepsWitnesses) await scenario.stopWitnesses();
    await scenario.endTest();
  });
  return scenario;
}

export class ClusterScenario {
  #local: LocalModeUnderTest | undefined;
  #node: NodeBed | undefined;
  #client: KubeClient | undefined;
  readonly #clusters: ClusterUnderTest[] = [];
  readonly #operators: OperatorProcess[] = [];

  get local(): LocalModeUnderTest {
    return started(this.#local);
  }

  get client(): KubeClient {
    return started(this.#client);
  }

  get faults(): NetworkFaults {
    return networkFaults(this.local.config);
  }

  /** In the project "node" on real nodes, which have the operator of deploy/; else on a local mode of its own. */
  async start(given: LocalModeGiven): Promise<void> {
    this.#node = await openNodeBed();
    if (this.#node) {
      this.#client = this.#node.client;
      return;
    }
    this.#local = await startLocalMode(given);
    this.#client = new KubeClient(await connectionFromKubeconfig(this.#local.kubeconfig), { userAgent: "scenario" });
  }

  /** Runs kubectl, which must succeed. */
  kubectl(...args: string[]): Promise<string> {
    return (this.#node ?? this.local).kubectl(...args);
  }

  /** Creates an EtcdCluster and returns at once. */
  async create(name: string, options: ManifestOptions = {}): Promise<ClusterUnderTest> {
    const manifest = aManifest(name, { isClusterWide: this.#node !== undefined, ...options });
    // The API server judges it and fills in the rest.
    await this.client.create(ownResources.etcdClusters, manifest as unknown as EtcdCluster);
    return this.cluster(name, manifest.metadata.namespace);
  }

  /** A cluster that exists already, or is about to. */
  cluster(name: string, namespace = "default"): ClusterUnderTest {
    const cluster = new ClusterUnderTest(this.client, { name, namespace }, this.#node?.reach);
    this.#clusters.push(cluster);
    return cluster;
  }

  /** An operator of the test's own, beside the one of local mode. */
  async startOperator(options: OperatorProcessOptions = {}): Promise<OperatorProcess> {
    const operator = await OperatorProcess.start(this.local, options);
    this.#operators.push(operator);
    return operator;
  }

  async stopWitnesses(): Promise<void> {
    await Promise.all(this.#clusters.map((cluster) => cluster.stopWitnesses()));
  }

  async endTest(): Promise<void> {
    if (this.#node) return this.#node.endTest();
    await this.faults.heal();
    const [crash] = /^operator ended and is started again.*$/m.exec(await this.local.output()) ?? [];
    if (crash) throw new Error(crash);
    const loops = await this.local.loops.found();
    if (loops.length > 0) throw new Error(loops.join("\n"));
  }

  /** Writes out what a person would check after a failure. */
  async tell(): Promise<void> {
    const ofOperators = this.#operators.map(({ log }) => log);
    const logs = this.#node ? [] : [join(this.local.stateDir, "logs", "operator.log"), ...ofOperators];
    process.stdout.write(await diagnosis(this.#node ?? this.local, logs));
  }

  async dispose(): Promise<void> {
    await this.stopWitnesses();
    await Promise.all(this.#operators.splice(0).map((operator) => operator.stop()));
    if (this.#node) await this.#node.close();
    else await this.#client?.close();
    if (this.#local && process.env.SCENARIO_LOGS) await this.#keepLogs(this.#local, process.env.SCENARIO_LOGS);
    await this.#local?.dispose();
  }

  async #keepLogs({ stateDir }: LocalModeUnderTest, folder: string): Promise<void> {
    await cp(join(stateDir, "logs"), join(folder, basename(stateDir)), { recursive: true });
  }
}

function started<Thing>(thing: Thing | undefined): Thing {
  if (thing === undefined) throw new Error("local mode has not started yet, or this is no local mode");
  return thing;
}
