import type { KubeClient, Resource } from "@etcd-operator/kubernetes-client";
import { resources } from "@etcd-operator/kubernetes-client";
import { until } from "@etcd-operator/testing/until.ts";
import { OPERATOR_KINDS } from "./operator-kinds.ts";

const PATIENCE_MS = 90_000;
/**
 * Waits until all namespaces of a suite, which it has deleted, are gone; one that is not deleted, for example because
 * of a finalizer, is reported.
 */
export async function namespacesAreGone(client: KubeClient, suite: string): Promise<void> {
  const going = async () => {
    const { items } = await client.list(resources.namespaces);
    return items.map(({ metadata }) => metadata.name).filter((name) => name.startsWith(`${suite}-`));
  };
  const areGone = async () => (await going()).length === 0;
  const patience = { what: `the namespaces of ${suite} to be gone`, timeoutMs: PATIENCE_MS, everyMs: 250 };
  await until(areGone, patience).catch(async (error: Error) => {
    const left = await Promise.all((await going()).map((namespace) => objectsIn(client, namespace, OPERATOR_KINDS)));
    throw new Error(`${error.message}; left are ${left.flat().join(", ") || "only themselves"}`, { cause: error });
  });
}

/** What there is of some kinds, with what keeps it. */
export async function objectsIn(
  client: KubeClient,
  namespace: string,
  kinds: readonly Resource[],
): Promise<readonly string[]> {
  const found = await Promise.all(
    kinds.map(async (kind) => {
      const { items } = await client.list(kind, { namespace });
      return items.map(({ metadata: { name, finalizers = [] } }) => {
        const kept = finalizers.length > 0 ? ` (${finalizers.join(", ")})` : "";
        return `${kind.plural} ${namespace}/${name}${kept}`;
      });
    }),
  );
  return found.flat();
}
