import { KubernetesError } from "@etcd-operator/kubernetes-client";

/** For tests: the error a call is expected to end in. */
export async function errorOf(call: Promise<unknown>): Promise<KubernetesError> {
  const error = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (error instanceof KubernetesError) return error;
  throw new Error(`expected a KubernetesError, got ${String(error)}`);
}
