import { CA_ANNOTATIONS } from "@etcd-operator/operator/cluster/tls/ca-annotations.ts";
import { fingerprintsOf } from "@etcd-operator/operator/cluster/tls/fingerprints.ts";
import type { TlsSecrets } from "@etcd-operator/operator/cluster/tls/parse-secret.ts";
import type { StartedPod } from "@etcd-operator/operator/cluster/tls/tls-step.rule.ts";

/**
 * For tests: the pod of a member that runs since these Secrets were as given; its annotations say which authorities it
 * believes.
 */
export function startedPod(name: string, secrets: TlsSecrets): StartedPod {
  const { peer, server } = fingerprintsOf(secrets);
  const annotations = {
    ...(peer?.ca !== undefined && { [CA_ANNOTATIONS.peer]: peer.ca }),
    ...(server?.ca !== undefined && { [CA_ANNOTATIONS.server]: server.ca }),
  };
  return { name, isEtcdRunning: true, metadata: { annotations } };
}
