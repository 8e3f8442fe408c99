import type { ObjectMeta } from "kubernetes-types/meta/v1.d.ts";

/** What every Kubernetes object has, as far as it is filled in before the API server has seen it. */
export interface KubeObject {
  apiVersion?: string | undefined;
  kind?: string | undefined;
  metadata?: Metadata | undefined;
}

interface Metadata {
  name?: string | undefined;
  namespace?: string | undefined;
  uid?: string | undefined;
  resourceVersion?: string | undefined;
  labels?: Record<string, string> | undefined;
  annotations?: Record<string, string> | undefined;
}

/** An object as the API server returns it. */
export type Stored<T extends KubeObject = KubeObject> = T & {
  apiVersion: string;
  kind: string;
  metadata: Omit<ObjectMeta, keyof Identity> & Identity;
};

interface Identity {
  name: string;
  uid: string;
  resourceVersion: string;
  creationTimestamp: string;
}

export interface ObjectRef {
  /** Absent for what lives outside namespaces. */
  readonly namespace?: string | undefined;
  readonly name: string;
}

/** "namespace/name", or "name" outside namespaces. */
export function keyOf({ namespace, name }: ObjectRef): string {
  return namespace ? `${namespace}/${name}` : name;
}

/** @public The other way round, for those who queue keys. */
export function refOf(key: string): ObjectRef {
  const slash = key.indexOf("/");
  return slash < 0 ? { name: key } : { namespace: key.slice(0, slash), name: key.slice(slash + 1) };
}
