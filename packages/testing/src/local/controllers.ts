import { access, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { KubeObject, ObjectRef, Resource, Stored } from "@etcd-operator/kubernetes-client";
import { hasCode, KubeClient, resources } from "@etcd-operator/kubernetes-client";
import { connectionFromKubeconfig } from "@etcd-operator/kubernetes-client/connect/kubeconfig.ts";
import type { LocalConfig } from "@etcd-operator/local-kubernetes";
import { writeKubeconfig } from "@etcd-operator/local-kubernetes";
import { cacheRoot } from "@etcd-operator/local-kubernetes/binaries/cache-root.ts";
import {
  type ControllersOptions,
  startControllers,
} from "@etcd-operator/local-kubernetes/controllers/start-controllers.ts";
import { nodePlaces } from "@etcd-operator/local-kubernetes/supervisor/node-places.ts";
import { startApiServer } from "../kube/control-plane/api-server.ts";
import { pinnedKubernetesVersion } from "../kube/control-plane/build-kubernetes.ts";
import { writeCertificates } from "../kube/control-plane/certificates.ts";
import { startBackingEtcd } from "../kube/control-plane/etcd.ts";
import { openWorkspace } from "../kube/control-plane/workspace.ts";
import { until } from "../until.ts";
import { startLocalApiServer } from "./api-server.ts";

interface ServerWithoutControllers {
  readonly server: string;
  readonly kubeconfig: string;
  readonly ca: string;
  stop(): Promise<void>;
}

/**
 * The API servers on which the controllers of local mode are tested: ours, and a real one where there is one already.
 */
export const serversWithoutControllers: readonly {
  readonly name: string;
  /** Why there is none here. */
  readonly lack: string | undefined;
  readonly start: () => Promise<ServerWithoutControllers>;
}[] = [
  { name: "the API server of local mode", lack: undefined, start: startLocalApiServer },
  {
    name: "a real kube-apiserver",
    lack: await access(await realApiServer()).then(
      () => undefined,
      () => "needs a kube-apiserver in the cache: make test-kube builds it",
    ),
    start: startRealApiServer,
  },
];

/** The controllers of local mode at work, and ways to observe them. */
export class ControllersUnderTest {
  readonly client: KubeClient;
  readonly config: LocalConfig;
  readonly logged: string[] = [];
  readonly #server: ServerWithoutControllers;
  readonly #stop = new AbortController();

  static async start(
    start: () => Promise<ServerWithoutControllers>,
    given: Pick<ControllersOptions, "clock" | "nodes"> = {},
  ): Promise<ControllersUnderTest> {
    const server = await start();
    const connection = await connectionFromKubeconfig(server.kubeconfig);
    const client = new KubeClient(connection, { userAgent: "kube-controller-manager" });
    const started = new ControllersUnderTest(client, server, await mkdtemp(join(tmpdir(), "controllers-")), given);
    await started.aNode("local");
    return started;
  }

  private constructor(
    client: KubeClient,
    server: ServerWithoutControllers,
    stateDir: string,
    given: Pick<ControllersOptions, "clock" | "nodes">,
  ) {
    this.client = client;
    this.#server = server;
    this.config = configFor(stateDir, server);
    const log = (line: string) => this.logged.push(line);
    // No kubelet reports the node, and its silence must have no effect.
    const nodes = { graceMs: Number.POSITIVE_INFINITY };
    startControllers(this.config, { client, signal: this.#stop.signal, log, nodes, ...given });
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.client.close();
    await this.#server.stop();
    await rm(this.config.stateDir, { recursive: true, force: true });
  }

  async aNamespace(): Promise<string> {
    const metadata = { generateName: "test-" };
    const {
      metadata: { name },
    } = await this.client.create(resources.namespaces, { metadata } as KubeObject);
    await this.there(resources.serviceAccounts, { namespace: name, name: "default" });
    return name;
  }

  async aConfigMap(
    namespace: string,
    name: string,
    owners: readonly Stored<KubeObject>[] = [],
  ): Promise<Stored<KubeObject>> {
    const ownerReferences = owners.map(({ apiVersion, kind, metadata: { name: owner, uid } }) => {
      return { apiVersion, kind, name: owner, uid, blockOwnerDeletion: true };
    });
    return this.client.create(resources.configMaps, { metadata: { namespace, name, ownerReferences } });
  }

  /** Does what a kubelet would: there is none. */
  async setPodStatus(namespace: string, name: string, podIP: string, isReady: boolean): Promise<void> {
    const conditions = [{ type: "Ready", status: isReady ? "True" : "False" }];
    const status = { phase: "Running", podIP, podIPs: [{ ip: podIP }], conditions };
    await this.client.patchStatus(resources.pods, { namespace, name }, { strategic: { status } });
  }

  /** Waits until an object is there and as it should be. */
  async there<T extends KubeObject>(
    resource: Resource<T>,
    ref: ObjectRef,
    is: (object: Stored<T>) => unknown = () => true,
  ): Promise<Stored<T>> {
    let last: unknown;
    const look = async () => {
      const object = await this.client.get(resource, ref);
      last = object;
      return is(object) ? object : undefined;
    };
    return until(look, { what: `${resource.kind} ${ref.name}`, everyMs: 5, timeoutMs: 10_000 }).catch(
      (error: Error) => {
        throw new Error(`${error.message}\n${this.logged.join("\n")}\n${JSON.stringify(last)}`, { cause: error });
      },
    );
  }

  async gone<T extends KubeObject>(resource: Resource<T>, ref: ObjectRef): Promise<void> {
    const isGone = () =>
      this.client.get(resource, ref).then(
        () => false,
        (error: unknown) => hasCode(error, "not-found"),
      );
    const what = `the end of ${resource.kind} ${ref.name}`;
    await until(isGone, { what, everyMs: 5, timeoutMs: 10_000 });
  }

  /** A node that is ready, and which reports nothing any more unless the test makes it. */
  async aNode(name: string): Promise<void> {
    const labels = { "kubernetes.io/hostname": name };
    await this.client.create(resources.nodes, { metadata: { name, labels } });
    const conditions = [{ type: "Ready", status: "True" }];
    await this.client.patchStatus(resources.nodes, { name }, { merge: { status: { conditions } } });
    // Admission taints new nodes until the node controller has seen them.
    await this.there(resources.nodes, { name }, ({ spec }) => !spec?.taints?.length);
  }
}

async function realApiServer(): Promise<string> {
  const cache = join(cacheRoot(process.env), "kubernetes", await pinnedKubernetesVersion());
  return join(process.env.KUBEBUILDER_ASSETS ?? cache, "kube-apiserver");
}

async function startRealApiServer(): Promise<ServerWithoutControllers> {
  const workspace = await openWorkspace("controllers-");
  try {
    const certificates = await writeCertificates(workspace.directory);
    const etcdEndpoint = await startBackingEtcd(workspace);
    const needs = { file: await realApiServer(), certificates, etcdEndpoint };
    const { url: server } = await startApiServer(workspace, needs);
    const { ca, admin } = certificates;
    const identity = { kind: "certificate", ...admin } as const;
    const kubeconfig = await writeKubeconfig(join(workspace.directory, "kubeconfig"), { server, ca, identity });
    return { server, kubeconfig, ca, stop: workspace.close };
  } catch (error) {
    await workspace.close();
    throw error;
  }
}

function configFor(stateDir: string, { server, ca: caFile, kubeconfig }: ServerWithoutControllers): LocalConfig {
  return {
    instance: "000000",
    stateDir,
    server,
    podCidr: "10.1.0.0/17",
    serviceCidr: "10.0.0.0/16",
    bridge: "none",
    bridgeIp: "127.0.0.1",
    dnsIp: "10.0.0.10",
    clusterDomain: "cluster.local",
    nodes: nodePlaces("10.1.0.0/17", [1]),
    storeEndpoint: "",
    kubeconfig,
    pki: { caFile, certFile: "", keyFile: "", tokenFile: "" },
  };
}
