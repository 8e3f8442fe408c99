import { mkdtemp } from "node:fs/promises";
import { join } from "node:path";
import { type Identity, writeKubeconfig } from "@etcd-operator/local-kubernetes/kubeconfig-file.ts";
import { until } from "../until.ts";
import type { ControlPlaneFacts } from "./control-plane/control-plane.ts";
import { type KubeObject, type Rest, restClient } from "./rest.ts";
import { putStoredObject } from "./stored-object.ts";

interface ServiceAccountName {
  readonly namespace: string;
  readonly serviceAccount: string;
}

/** What tests do with a control plane. */
export interface KubeAccess extends ControlPlaneFacts {
  /** A raw REST client; as the administrator by default. */
  rest(identity?: Identity): Promise<Rest>;
  /** A token of an existing ServiceAccount, from a TokenRequest. */
  tokenFor(account: ServiceAccountName): Promise<string>;
  /** Path of a kubeconfig for an existing ServiceAccount. */
  kubeconfigFor(account: ServiceAccountName): Promise<string>;
  /** Makes a namespace with a name of its own, and returns the name once pods can be created in it. */
  freshNamespace(labels?: Readonly<Record<string, string>>): Promise<string>;
  /** Writes an object into the backing etcd, past the API server; keys start with "/registry/". */
  putStored(key: string, object: KubeObject): Promise<void>;
}

/** Gives a control plane, in this process or another, the methods that tests use. */
export function accessTo(facts: ControlPlaneFacts): KubeAccess {
  const { server, ca, admin } = facts;
  const rest = (identity: Identity = { kind: "certificate", ...admin }) => restClient(server, ca, identity);
  const tokenFor = async (account: ServiceAccountName) => requestToken(await rest(), account);
  return {
    ...facts,
    rest,
    tokenFor,
    async kubeconfigFor(account) {
      const folder = await mkdtemp(join(facts.directory, `${account.serviceAccount}-`));
      const identity = { kind: "token", token: await tokenFor(account) } as const;
      return writeKubeconfig(join(folder, "kubeconfig"), { server, ca, identity });
    },
    freshNamespace: async (labels = {}) => createNamespace(await rest(), labels, facts.hasControllerManager),
    putStored: (key, object) => putStoredObject(facts.etcdEndpoint, key, object),
  };
}

async function requestToken(rest: Rest, { namespace, serviceAccount }: ServiceAccountName): Promise<string> {
  const path = `/api/v1/namespaces/${namespace}/serviceaccounts/${serviceAccount}/token`;
  const request = { apiVersion: "authentication.k8s.io/v1", kind: "TokenRequest", spec: { expirationSeconds: 86_400 } };
  const { code, body, text } = await rest<{ status: { token: string } }>("POST", path, request);
  if (code !== 201) throw new Error(`no token for ServiceAccount ${namespace}/${serviceAccount}: ${code} ${text}`);
  return body.status.token;
}

async function createNamespace(
  rest: Rest,
  labels: Readonly<Record<string, string>>,
  hasControllerManager: boolean,
): Promise<string> {
  const namespace = { apiVersion: "v1", kind: "Namespace", metadata: { generateName: "test-", labels } };
  const { code, body, text } = await rest("POST", "/api/v1/namespaces", namespace);
  const name = body.metadata?.name;
  if (code !== 201 || !name) throw new Error(`could not create a namespace: ${code} ${text}`);

  // Admission refuses pods until the namespace has this ServiceAccount.
  const accounts = `/api/v1/namespaces/${name}/serviceaccounts`;
  if (!hasControllerManager) await rest("POST", accounts, { metadata: { name: "default" } });
  await until(async () => (await rest("GET", `${accounts}/default`)).code === 200, {
    what: `ServiceAccount default in namespace ${name}`,
  });
  return name;
}
