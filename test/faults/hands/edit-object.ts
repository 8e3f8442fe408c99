import type { KubeObject, Resource, Stored } from "@etcd-operator/kubernetes-client";
import { KubernetesError } from "@etcd-operator/kubernetes-client";
import type { Stage } from "../workloads/stage.ts";
import { NAMESPACE } from "../world/world.ts";
import { type Path, valueAt, withValueAt } from "./path.ts";

/** Does to an object what `kubectl edit` does; returns why the API server did not take it. */
export async function editObject(
  { user }: Stage,
  resource: Resource<KubeObject>,
  object: Stored,
  { path, value }: { readonly path: Path; readonly value: unknown },
): Promise<KubernetesError | undefined> {
  const top = path.slice(0, 2);
  const edited = valueAt(withValueAt(object, path, value), top);
  const pointer = top.map((key) => `/${key}`).join("");
  const json = edited === undefined ? [{ op: "remove", path: pointer }] : [{ op: "add", path: pointer, value: edited }];
  const subresource = path[0] === "status" ? "status" : undefined;
  const ref = { namespace: NAMESPACE, name: object.metadata.name };
  try {
    await user.patch(resource, ref, { json } as never, subresource ? { subresource } : {});
    return undefined;
  } catch (error) {
    if (error instanceof KubernetesError) return error;
    throw error;
  }
}
