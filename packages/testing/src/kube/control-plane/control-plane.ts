import { join } from "node:path";
import { writeKubeconfig } from "@etcd-operator/local-kubernetes";
import { startApiServer } from "./api-server.ts";
import { type KubernetesBinaries, kubernetesBinaries } from "./binaries.ts";
import { type ControlPlaneCertificates, type KeyPairFiles, writeCertificates } from "./certificates.ts";
import { startControllerManager } from "./controller-manager.ts";
import { startBackingEtcd } from "./etcd.ts";
import { openWorkspace, type Workspace } from "./workspace.ts";

/** Where a running control plane is and how to get in; plain data, so that it can be handed to other processes. */
export interface ControlPlaneFacts {
  /** As the server reports it, such as "v1.34.10". */
  readonly version: string;
  readonly server: string;
  /** Path of the PEM file of the CA. */
  readonly ca: string;
  readonly admin: KeyPairFiles;
  readonly adminKubeconfig: string;
  /** Removed, with all that is in it, when the control plane stops; logs are `<program>.log`. */
  readonly directory: string;
  readonly etcdEndpoint: string;
  /** Without one there is no garbage collection, no namespace ever ends, and no ServiceAccount appears by itself. */
  readonly hasControllerManager: boolean;
  /** By program: "etcd", "kube-apiserver", "kube-controller-manager". */
  readonly pids: Readonly<Record<string, number>>;
}

export interface ControlPlane {
  readonly facts: ControlPlaneFacts;
  /** Signs a certificate with the CA of the control plane. */
  readonly issue: ControlPlaneCertificates["issue"];
  /** Ends every process and removes every file of the control plane. */
  stop(): Promise<void>;
}

export interface ControlPlaneOptions {
  /** Flags of kube-apiserver beside the usual ones, which they override. */
  readonly apiServerFlags?: readonly string[];
  /** Leaves kube-controller-manager out, so that nothing but requests changes an object. */
  readonly withoutControllers?: boolean;
  /** With real nodes: where these and their pods reach the API server, beside the loopback address. */
  readonly reachableAt?: readonly string[];
}

const attempts = 3;

/**
 * Starts etcd, kube-apiserver and, where there is one, kube-controller-manager on the loopback address, and waits until
 * they work.
 */
export async function startControlPlane(options: ControlPlaneOptions = {}): Promise<ControlPlane> {
  const binaries = await kubernetesBinaries();
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await tryToStart(binaries, options);
    } catch (error) {
      // Between finding a port free and a server's listening on it, someone else may have taken it.
      const lostPort = error instanceof Error && error.message.includes("address already in use");
      if (!lostPort || attempt === attempts) throw error;
    }
  }
}

async function tryToStart(binaries: KubernetesBinaries, options: ControlPlaneOptions): Promise<ControlPlane> {
  const workspace = await openWorkspace("kube-");
  try {
    return { ...(await startIn(workspace, binaries, options)), stop: workspace.close };
  } catch (error) {
    await workspace.close();
    throw error;
  }
}

async function startIn(
  workspace: Workspace,
  binaries: KubernetesBinaries,
  { apiServerFlags: flags = [], withoutControllers = false, reachableAt = [] }: ControlPlaneOptions,
): Promise<Omit<ControlPlane, "stop">> {
  const { directory } = workspace;
  const { apiserver } = binaries;
  const controllerManager = withoutControllers ? undefined : binaries.controllerManager;
  const certificates = await writeCertificates(directory, reachableAt);
  const etcdEndpoint = await startBackingEtcd(workspace);
  const api = await startApiServer(workspace, { file: apiserver, certificates, etcdEndpoint, flags });
  const hasNodes = reachableAt.length > 0;
  if (controllerManager)
    await startControllerManager(workspace, { file: controllerManager, certificates, api, hasNodes });

  const { ca, admin } = certificates;
  const facts = {
    version: api.version,
    server: api.url,
    ca,
    admin,
    adminKubeconfig: await writeKubeconfig(join(directory, "admin.kubeconfig"), {
      server: api.url,
      ca,
      identity: { kind: "certificate", ...admin },
    }),
    directory,
    etcdEndpoint,
    hasControllerManager: controllerManager !== undefined,
    pids: Object.fromEntries(workspace.processes.map(({ name, pid }) => [name, pid])),
  };
  return { facts, issue: certificates.issue };
}
