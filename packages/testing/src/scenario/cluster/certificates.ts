import { mkdtemp, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { EndpointTls } from "@etcd-operator/etcd-client";
import type { LocalModeUnderTest } from "../../local/local-mode.ts";
import { runCommand } from "../../process/run-command.ts";
import type { ClusterUnderTest } from "./cluster-under-test.ts";

const SCRIPT = "example/tls/certs/gen-cert.sh";

export type CertificateStep = "certificates" | "trust-both" | "drop-old";

/** The certificates of one cluster, made and changed as docs/operations/tls.md says. */
export class Certificates {
  readonly #local: LocalModeUnderTest;
  readonly #name: string;
  readonly #namespace: string;
  readonly #folder: string;

  static async create(local: LocalModeUnderTest, name: string, namespace = "default"): Promise<Certificates> {
    const certificates = new Certificates(local, { name, namespace }, await mkdtemp(join(local.stateDir, "certs-")));
    await certificates.apply("certificates");
    return certificates;
  }

  private constructor(local: LocalModeUnderTest, of: { name: string; namespace: string }, folder: string) {
    this.#local = local;
    this.#name = of.name;
    this.#namespace = of.namespace;
    this.#folder = folder;
  }

  /** Takes one step, and gives its Secrets to Kubernetes. */
  async apply(step: CertificateStep): Promise<void> {
    await this.make(step);
    await this.#local.kubectl("apply", "-f", join(this.#folder, "secrets.yaml"));
  }

  async make(step: CertificateStep): Promise<void> {
    const flags = [`--cluster=${this.#name}`, `--namespace=${this.#namespace}`, `--out=${this.#folder}`];
    const { code, stderr } = await runCommand("bash", [SCRIPT, step, ...flags]);
    if (code !== 0) throw new Error(`gen-cert.sh ${step} failed: ${stderr}`);
  }

  file(name: string): Promise<string> {
    return readFile(join(this.#folder, name), "utf8");
  }

  /** A client that shows what the operator shows, and believes all that the folder does. */
  async client(): Promise<EndpointTls> {
    const names = ["etcd-client-ca.crt", "etcd-client.crt", "etcd-client.key"];
    const [ca = "", cert = "", key = ""] = await Promise.all(names.map((name) => this.file(name)));
    return { ca, cert, key };
  }

  async give(cluster: ClusterUnderTest): Promise<void> {
    cluster.tls = await this.client();
  }
}
