import type { EtcdClient } from "@etcd-operator/etcd-client";
import { KubeClient } from "@etcd-operator/kubernetes-client";
import { apiOn } from "@etcd-operator/local-kubernetes/apiserver/api-on.ts";
import { bootstrap } from "@etcd-operator/local-kubernetes/apiserver/bootstrap.ts";
import { CustomKinds } from "@etcd-operator/local-kubernetes/apiserver/custom/custom-kinds.ts";
import type { User } from "@etcd-operator/local-kubernetes/apiserver/http/exchange.ts";
import { Gatekeeper } from "@etcd-operator/local-kubernetes/apiserver/http/gatekeeper.ts";
import { requestListener } from "@etcd-operator/local-kubernetes/apiserver/http/listener.ts";
import { BUILTIN_RESOURCES } from "@etcd-operator/local-kubernetes/apiserver/kinds/builtin-kinds.ts";
import { OpenApi } from "@etcd-operator/local-kubernetes/apiserver/openapi/open-api.ts";
import { type Ask, carrierOf, inProcess } from "./in-process-carrier.ts";
import { type MemoryEtcd, memoryEtcd } from "./memory-etcd.ts";

export interface ApiWorld {
  /** As the user that the request names. */
  readonly ask: Ask;
  readonly etcd: MemoryEtcd;
  /** Allows every client everything. */
  readonly admin: KubeClient;
  close(): Promise<void>;
}

export const ADMIN = "admin";
export const OPERATOR = "operator";

const USERS: Readonly<Record<string, User>> = {
  [ADMIN]: { username: "admin", groups: ["system:masters", "system:authenticated"] },
  [OPERATOR]: {
    username: "system:serviceaccount:etcd-operator:etcd-operator",
    groups: ["system:serviceaccounts", "system:serviceaccounts:etcd-operator", "system:authenticated"],
  },
};

const SERVICE_CIDR = "10.96.0.0/16";
const SERVER = "https://api.invalid:6443";

/** The API server of local mode in this process: without sockets, and with its store in memory. */
export async function apiWorld(etcd: MemoryEtcd = memoryEtcd()): Promise<ApiWorld> {
  // What else a client of etcd can do, no API server asks for.
  const api = await apiOn(etcd as unknown as EtcdClient, { serviceCidr: SERVICE_CIDR });
  const definitions = BUILTIN_RESOURCES.find(({ kind }) => kind === "CustomResourceDefinition");
  if (!definitions) throw new Error("there is no CustomResourceDefinition among the built-in kinds");
  const customKinds = new CustomKinds(api, definitions);
  await bootstrap(api, { serviceCidr: SERVICE_CIDR, ip: "10.0.0.1", port: 6443 });
  await customKinds.start();
  const authenticate = async ({ headers }: { headers: { authorization?: string | undefined } }) =>
    USERS[headers.authorization ?? ""] ?? { username: "system:anonymous", groups: ["system:unauthenticated"] };
  const routes = {
    api,
    openApi: new OpenApi(api.registry, () => customKinds.definitions),
    serverAddress: new URL(SERVER).host,
    readLog: async () => undefined,
  };
  const listener = requestListener({
    routes,
    gatekeeper: new Gatekeeper({ authenticate }, api.authorizer),
    isReady: async () => true,
    onError: (error) => {
      throw error;
    },
  });
  const ask = inProcess(listener);
  return {
    ask,
    etcd,
    admin: clientOf(ask, ADMIN),
    async close() {
      await customKinds.close();
      await api.caches.close();
      etcd.close();
    },
  };
}

export function clientOf(ask: Ask, user: string): KubeClient {
  const credentials = { current: async () => ({ authorization: user }), forget: () => undefined };
  return new KubeClient({ server: SERVER, credentials, carrier: carrierOf(ask) }, { userAgent: user });
}
