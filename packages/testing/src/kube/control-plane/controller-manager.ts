import { join } from "node:path";
import { writeKubeconfig } from "@etcd-operator/local-kubernetes";
import { until } from "../../until.ts";
import type { ApiServer } from "./api-server.ts";
import type { ControlPlaneCertificates } from "./certificates.ts";
import type { Workspace } from "./workspace.ts";

interface ControllerManagerNeeds {
  readonly file: string;
  readonly certificates: ControlPlaneCertificates;
  readonly api: ApiServer;
  /** Whether there are real nodes, with controllers for what happens to them. */
  readonly hasNodes: boolean;
}

// They act on clouds, and on addresses of nodes, which nodes that are real bring along.
const idle = [
  "cloud-node-lifecycle-controller",
  "node-ipam-controller",
  "node-route-controller",
  "service-lb-controller",
];
const idleWithoutNodes = ["node-lifecycle-controller", "persistentvolume-attach-detach-controller"];

/**
 * Starts a kube-controller-manager, each controller with the rights of its own ServiceAccount, and waits until they
 * work.
 */
export async function startControllerManager(workspace: Workspace, needs: ControllerManagerNeeds): Promise<void> {
  const { file, certificates, api, hasNodes } = needs;
  const left = hasNodes ? idle : [...idle, ...idleWithoutNodes];
  const kubeconfig = await writeKubeconfig(join(workspace.directory, "controller-manager.kubeconfig"), {
    server: api.url,
    ca: certificates.ca,
    identity: { kind: "certificate", ...certificates.controllerManager },
  });
  const { diedEarly } = workspace.run("kube-controller-manager", file, [
    `--kubeconfig=${kubeconfig}`,
    // Serves nothing: that it works shows in what it does.
    "--secure-port=0",
    "--leader-elect=false",
    `--service-account-private-key-file=${certificates.serviceAccountKey}`,
    `--root-ca-file=${certificates.ca}`,
    "--use-service-account-credentials=true",
    `--controllers=*,${left.map((name) => `-${name}`).join(",")}`,
    "--kube-api-qps=200",
    "--kube-api-burst=400",
  ]);
  // Namespaces get their ServiceAccount from one of the controllers, which all start together.
  const account = "/api/v1/namespaces/default/serviceaccounts/default";
  const works = async () => (await api.rest("GET", account)).code === 200;
  await until(works, { what: "kube-controller-manager to work", timeoutMs: 60_000, unless: diedEarly });
}
