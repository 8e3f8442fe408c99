import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Stored } from "@etcd-operator/kubernetes-client";
import { resources } from "@etcd-operator/kubernetes-client";
import { freePorts } from "@etcd-operator/local-kubernetes";
import { type KubeletConfig, kubeletConfig } from "@etcd-operator/local-kubernetes/config.ts";
import { startKubelet } from "@etcd-operator/local-kubernetes/kubelet/kubelet.ts";
import { createAuthority, issueCertificate } from "@etcd-operator/local-kubernetes/pki.ts";
import { nodePlaces } from "@etcd-operator/local-kubernetes/supervisor/node-places.ts";
import type { Container, Pod, PodSpec } from "kubernetes-types/core/v1.d.ts";
import { aNetwork, type NetworkUnderTest } from "../local/network.ts";
import { until } from "../until.ts";
import { ClusterUnderTest } from "./cluster-under-test.ts";

const lifetimeMs = 3_600_000;

/** A real kubelet on a bridge of its own, for an API server in memory; needs root. */
export class NodeUnderTest {
  readonly cluster = new ClusterUnderTest();
  readonly config: KubeletConfig;
  readonly said: string[] = [];
  #stop: () => Promise<void> = async () => undefined;

  readonly #network: NetworkUnderTest;

  private constructor(config: KubeletConfig, network: NetworkUnderTest) {
    this.config = config;
    this.#network = network;
  }

  static async make(): Promise<NodeUnderTest> {
    const network = await aNetwork();
    const [kubeletPort = 0] = await freePorts(1);
    const config = { ...network.config, nodes: nodePlaces(network.config.podCidr, [kubeletPort]) };
    const pki = await certificates(config.stateDir);
    return new NodeUnderTest(kubeletConfig({ ...config, pki }), network);
  }

  async start(): Promise<void> {
    const abort = new AbortController();
    const { closed } = await startKubelet(this.config, {
      client: this.cluster,
      signal: abort.signal,
      log: (message) => this.said.push(message),
      backOff: { baseMs: 300, maxMs: 5_000 },
      refreshMs: 200,
    });
    this.#stop = async () => {
      abort.abort();
      await closed;
    };
  }

  /** Stops the kubelet; the API server and the folders stay. */
  async stop(): Promise<void> {
    await this.#stop();
    this.#stop = async () => undefined;
  }

  async destroy(): Promise<void> {
    await this.stop();
    await this.#network.close();
  }

  /** Creates a pod of one container that runs a shell script, unless said otherwise. */
  async run(
    name: string,
    script: string,
    container: Partial<Container> = {},
    spec: Partial<PodSpec> = {},
  ): Promise<Stored<Pod>> {
    const main = { name: "main", image: "busybox", command: ["sh", "-c", script], ...container };
    const pod = { metadata: { name, namespace: "ns" }, spec: { nodeName: "local", containers: [main], ...spec } };
    return this.cluster.create(resources.pods, pod);
  }

  async pod(name: string): Promise<Stored<Pod>> {
    return this.cluster.get(resources.pods, { namespace: "ns", name });
  }

  async podOnce(name: string, what: string, isSo: (pod: Stored<Pod>) => boolean | undefined): Promise<Stored<Pod>> {
    return until(
      async () => {
        const pod = await this.pod(name);
        return isSo(pod) ? pod : undefined;
      },
      { what: `pod ${name} to be ${what}`, timeoutMs: 20_000, everyMs: 10 },
    );
  }

  async ready(name: string): Promise<Stored<Pod>> {
    return this.podOnce(name, "ready", isReady);
  }

  async gone(name: string): Promise<void> {
    const isGone = () =>
      this.pod(name).then(
        () => false,
        () => true,
      );
    await until(isGone, { what: `pod ${name} to be gone`, timeoutMs: 20_000, everyMs: 10 });
  }
}

export function isReady({ status }: Pod): boolean {
  return status?.conditions?.some(({ type, status }) => type === "Ready" && status === "True") ?? false;
}

async function certificates(dir: string): Promise<KubeletConfig["pki"]> {
  const authority = await createAuthority("CN=kubelet-test", lifetimeMs);
  const leaf = { subject: "CN=kubelet", usage: "server", ips: ["127.0.0.1"], dnsNames: ["localhost"] } as const;
  const pair = await issueCertificate(authority, leaf, lifetimeMs);
  const files = { caFile: "ca.crt", certFile: "tls.crt", keyFile: "tls.key", tokenFile: "token" };
  const texts = { caFile: authority.cert, certFile: pair.cert, keyFile: pair.key, tokenFile: "a-token\n" };
  for (const name of Object.keys(files) as (keyof typeof files)[]) {
    files[name] = join(dir, files[name]);
    writeFileSync(files[name], texts[name]);
  }
  return files;
}
