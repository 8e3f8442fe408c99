import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runCommandOrThrow } from "../process/run-command.ts";
import { aManifest } from "../scenario/cluster/a-manifest.ts";
import type { OperatorNamespace } from "./rights/operator-namespace.ts";

/**
 * Creates an EtcdCluster of one member that talks to clients over TLS only, and the Secrets that it names, as
 * docs/operations/tls.md says.
 */
export async function createTlsCluster(namespace: OperatorNamespace, name: string): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "tls-cluster-"));
  try {
    const flags = [`--cluster=${name}`, `--namespace=${namespace.name}`, `--out=${folder}`];
    await runCommandOrThrow("bash", ["example/tls/certs/gen-cert.sh", "certificates", ...flags]);
    await namespace.kubectl("apply", "-f", join(folder, "secrets.yaml"));
  } finally {
    await rm(folder, { recursive: true });
  }
  const manifest = aManifest(name, { namespace: namespace.name, size: 1 });
  const TLS = { static: { member: { serverSecret: "etcd-server-tls" }, operatorSecret: "etcd-client-tls" } };
  await namespace.create({ ...manifest, spec: { ...manifest.spec, TLS } });
}
