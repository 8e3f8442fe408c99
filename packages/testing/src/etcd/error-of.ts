import { EtcdError } from "@etcd-operator/etcd-client";

/** For tests: the error a call is expected to end in. */
export async function errorOf(call: Promise<unknown>): Promise<EtcdError> {
  const error = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (error instanceof EtcdError) return error;
  throw new Error(`expected an EtcdError, got ${String(error)}`);
}
