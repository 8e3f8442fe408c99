import type { EndpointTls } from "@etcd-operator/etcd-client";
import type { KubeClient } from "@etcd-operator/kubernetes-client";
import { hasCode, keyOf, type ObjectRef, resources } from "@etcd-operator/kubernetes-client";
import { clientCertificateIn } from "../trust/client-certificate.ts";
import { SnapshotError } from "./snapshot-error.ts";

/**
 * The certificate that we show to etcd, from the Secret of this name; read each time, so that a renewed one counts.
 * @param field which field of which spec names the Secret
 */
export async function readCertificate(
  client: Pick<KubeClient, "get">,
  ref: ObjectRef,
  field: string,
  signal: AbortSignal,
): Promise<EndpointTls> {
  const called = `Secret '${keyOf(ref)}' of ${field}`;
  try {
    const certificate = clientCertificateIn(await client.get(resources.secrets, ref, { signal }), called);
    if (certificate.kind === "usable") return certificate.tls;
    throw new SnapshotError("bad-certificate", certificate.why);
  } catch (error) {
    if (!hasCode(error, "not-found")) throw error;
    throw new SnapshotError("bad-certificate", `${called} does not exist: create it`, { cause: error });
  }
}
