import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import type { PolicyRule, Role } from "kubernetes-types/rbac/v1.d.ts";
import { createRoleOn } from "../../../../../test/manifests/run-create-role.ts";
import { until } from "../../until.ts";
import type { KubeAccess } from "../access.ts";
import type { Workspace } from "../control-plane/workspace.ts";
import { kubectl, kubectlOrThrow } from "../kubectl.ts";
import { type OperatorOnKube, startOperator } from "../operator.ts";

const LOG_LINES = 80;

/** A namespace whose operators have the rights that create_role.sh gives them, and no other. */
export class OperatorNamespace {
  readonly name: string;
  readonly #kube: KubeAccess;
  readonly #workspace: Workspace;
  readonly #kubeconfig: string;
  readonly #operators: OperatorOnKube[] = [];

  static async make(
    kube: KubeAccess,
    workspace: Workspace,
    labels: Readonly<Record<string, string>> = {},
  ): Promise<OperatorNamespace> {
    const namespace = await kube.freshNamespace(labels);
    const names = [`--role-name=${roleOf(namespace)}`, `--role-binding-name=${roleOf(namespace)}`];
    const { code, stderr } = await createRoleOn(kube.adminKubeconfig, [...names, `--namespace=${namespace}`]);
    assert.equal(code, 0, stderr);
    const kubeconfig = await kube.kubeconfigFor({ namespace, serviceAccount: "etcd-operator" });
    return new OperatorNamespace(namespace, kube, workspace, kubeconfig);
  }

  private constructor(name: string, kube: KubeAccess, workspace: Workspace, kubeconfig: string) {
    this.name = name;
    this.#kube = kube;
    this.#workspace = workspace;
    this.#kubeconfig = kubeconfig;
  }

  /** As whom its operators are known to the API server. */
  get user(): string {
    return `system:serviceaccount:${this.name}:etcd-operator`;
  }

  /** The rules of its Role, and of the ClusterRole for CRDs. */
  async rules(): Promise<readonly PolicyRule[]> {
    const rulesOf = async (...role: string[]) =>
      (JSON.parse(await this.kubectl("get", ...role, "-o", "json")) as Role).rules ?? [];
    const name = roleOf(this.name);
    return [...(await rulesOf("role", name)), ...(await rulesOf("clusterrole", `${name}-crds`))];
  }

  /** Starts an operator, and returns once it has found out whether it leads or stands by. */
  async startOperator(name: string): Promise<OperatorOnKube> {
    const operator = startOperator(this.#workspace, { name, namespace: this.name, kubeconfig: this.#kubeconfig });
    this.#operators.push(operator);
    const isUp = () => operator.has("watching") || operator.has("standing by");
    await until(isUp, { what: `operator ${name} to be up`, timeoutMs: 60_000, unless: operator.diedEarly });
    return operator;
  }

  /** Runs kubectl as the administrator, in this namespace. */
  kubectl(...args: readonly string[]): Promise<string> {
    return kubectlOrThrow(this.#kube.adminKubeconfig, [`--namespace=${this.name}`, ...args]);
  }

  async create(object: object): Promise<void> {
    const args = [`--namespace=${this.name}`, "create", "-f", "-"];
    await kubectlOrThrow(this.#kube.adminKubeconfig, args, { input: JSON.stringify(object) });
  }

  /** What `kubectl get etcd` shows of a cluster: READY, VERSION and STATUS. */
  async columnsOf(cluster: string): Promise<readonly string[]> {
    const [header = "", row = ""] = (await this.kubectl("get", "etcd", cluster)).split("\n");
    // A cell may be empty, so only its position shows what it is.
    const starts = ["READY", "VERSION", "STATUS", "AGE"].map((title) => header.indexOf(title));
    return starts.slice(0, -1).map((start, index) => row.slice(start, starts[index + 1]).trim());
  }

  /** Lines in which an operator complains. */
  complaints(): readonly string[] {
    const isBad = (level: string) => level === "warn" || level === "error" || level === "fatal";
    return this.#operators.flatMap((operator) =>
      operator.lines().flatMap((line) => (isBad(line.level) ? [JSON.stringify(line)] : [])),
    );
  }

  /** What a person would check after a failure. */
  async tell(): Promise<string> {
    const look = async (...args: readonly string[]) => {
      const all = [`--namespace=${this.name}`, "get", ...args];
      const { stdout, stderr } = await kubectl(this.#kube.adminKubeconfig, all);
      return `--- kubectl ${all.join(" ")}\n${stdout}${stderr}`;
    };
    const seen = await Promise.all([
      look("etcd", "-o", "yaml"),
      look("pods,services,pvc,pdb,leases", "-o", "wide"),
      look("events", "--sort-by=.lastTimestamp"),
    ]);
    const logs = this.#operators.map(({ name, log }) => {
      const lines = readFileSync(log, "utf8").trimEnd().split("\n");
      const news = lines.filter((line) => !line.includes('"level":"debug"'));
      return `--- ${name}\n${news.slice(-LOG_LINES).join("\n")}`;
    });
    return `${[...seen, ...logs].join("\n")}\n`;
  }

  async stopOperators(): Promise<void> {
    await Promise.all(this.#operators.map((operator) => operator.stop()));
  }
}

function roleOf(namespace: string): string {
  return `operator-of-${namespace}`;
}
