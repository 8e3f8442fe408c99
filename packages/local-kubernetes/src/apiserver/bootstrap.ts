import type { ApiContext } from "./api-context.ts";
import { ApiError } from "./api-error.ts";
import { reconcileDefaultRoles } from "./authorization/reconcile-defaults.ts";
import { numberToIp, parseRange } from "./kinds/rules/ip-range.ts";
import type { JsonObject } from "./kube-object.ts";
import { create } from "./verbs/create.ts";

interface ServerPlace {
  readonly serviceCidr: string;
  /** Where pods reach the API server. */
  readonly ip: string;
  readonly port: number;
}

/** Makes what every cluster has from its first minute; what is there already stays as it is. */
export async function bootstrap(api: ApiContext, place: ServerPlace): Promise<void> {
  for (const name of ["default", "kube-system", "kube-public", "kube-node-lease"]) {
    await ensure(api, "", "namespaces", undefined, { metadata: { name } });
  }
  for (const [name, value] of Object.entries({
    "system-cluster-critical": 2_000_000_000,
    "system-node-critical": 2_000_001_000,
  })) {
    await ensure(api, "scheduling.k8s.io", "priorityclasses", undefined, { metadata: { name }, value });
  }
  await ensureOwnService(api, place);
  await reconcileDefaultRoles(api);
}

async function ensureOwnService(api: ApiContext, { serviceCidr, ip, port }: ServerPlace): Promise<void> {
  const labels = { component: "apiserver", provider: "kubernetes" };
  const clusterIP = numberToIp(parseRange(serviceCidr).first + 1);
  const ports = [{ name: "https", port: 443, protocol: "TCP", targetPort: port }];
  await ensure(api, "", "services", "default", {
    metadata: { name: "kubernetes", labels },
    spec: { clusterIP, ports },
  });
  const slice = {
    metadata: { name: "kubernetes", labels: { "kubernetes.io/service-name": "kubernetes" } },
    addressType: "IPv4",
    endpoints: [{ addresses: [ip], conditions: { ready: true } }],
    ports: [{ name: "https", port, protocol: "TCP" }],
  };
  await ensure(api, "discovery.k8s.io", "endpointslices", "default", slice);
  const subsets = [{ addresses: [{ ip }], ports: [{ name: "https", port, protocol: "TCP" }] }];
  await ensure(api, "", "endpoints", "default", { metadata: { name: "kubernetes" }, subsets });
}

async function ensure(
  api: ApiContext,
  group: string,
  plural: string,
  namespace: string | undefined,
  body: JsonObject,
): Promise<void> {
  const resource = api.registry.findAny(group, plural);
  if (!resource) throw new Error(`no resource ${plural}`);
  const options = { isDryRun: false, fieldValidation: "Ignore", warn: () => {} } as const;
  try {
    await create(api, { resource, namespace, body, options });
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 409) throw error;
  }
}
