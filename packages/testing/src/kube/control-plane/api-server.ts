import { freePorts } from "@etcd-operator/local-kubernetes";
import { until } from "../../until.ts";
import { type Rest, restClient } from "../rest.ts";
import type { ControlPlaneCertificates } from "./certificates.ts";
import type { Workspace } from "./workspace.ts";

export interface ApiServer {
  readonly url: string;
  /** As the server reports it, such as "v1.34.10". */
  readonly version: string;
  /** Speaks to it as the administrator. */
  readonly rest: Rest;
}

interface ApiServerNeeds {
  readonly file: string;
  readonly certificates: ControlPlaneCertificates;
  readonly etcdEndpoint: string;
  /** Further flags; one that is given twice counts as written last. */
  readonly flags?: readonly string[];
}

/** Starts a kube-apiserver with RBAC on the loopback address, and waits until it is ready. */
export async function startApiServer(workspace: Workspace, needs: ApiServerNeeds): Promise<ApiServer> {
  const { file, certificates, etcdEndpoint, flags = [] } = needs;
  const [port] = await freePorts(1);
  const { diedEarly } = workspace.run("kube-apiserver", file, [
    `--etcd-servers=${etcdEndpoint}`,
    "--bind-address=127.0.0.1",
    "--advertise-address=127.0.0.1",
    `--secure-port=${port}`,
    // A loopback address is no valid endpoint of the Service "kubernetes"; no client connects through it here.
    "--endpoint-reconciler-type=none",
    "--service-cluster-ip-range=10.0.0.0/16",
    ...certificateFlags(certificates, workspace.directory),
    "--authorization-mode=RBAC",
    // On top of the default ones. This one requires, to make an owner's deletion wait, the right to set that owner's
    // finalizers. Some distributions turn it on, and a role that lacks the right shows nowhere else.
    "--enable-admission-plugins=OwnerReferencesPermissionEnforcement",
    "--allow-privileged=true",
    ...flags,
  ]);
  const url = `https://127.0.0.1:${port}`;
  const rest = await restClient(url, certificates.ca, { kind: "certificate", ...certificates.admin });
  const ready = async () => (await rest("GET", "/readyz")).code === 200;
  await until(ready, { what: "kube-apiserver to be ready", timeoutMs: 60_000, unless: diedEarly });
  const { body } = await rest<{ gitVersion: string }>("GET", "/version");
  return { url, rest, version: body.gitVersion };
}

function certificateFlags(
  { ca, server, admin, serviceAccountKey }: ControlPlaneCertificates,
  directory: string,
): string[] {
  return [
    `--cert-dir=${directory}`,
    `--client-ca-file=${ca}`,
    `--tls-cert-file=${server.cert}`,
    `--tls-private-key-file=${server.key}`,
    // Where there are real kubelets, for logs and exec.
    `--kubelet-certificate-authority=${ca}`,
    `--kubelet-client-certificate=${admin.cert}`,
    `--kubelet-client-key=${admin.key}`,
    "--service-account-issuer=https://kubernetes.default.svc",
    `--service-account-key-file=${serviceAccountKey}`,
    `--service-account-signing-key-file=${serviceAccountKey}`,
  ];
}
