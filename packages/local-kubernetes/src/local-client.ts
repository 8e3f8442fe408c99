import { readFile } from "node:fs/promises";
import { fixedCredential, KubeClient } from "@etcd-operator/kubernetes-client";
import type { LocalConfig } from "./config.ts";

// The programs of a real cluster that do the same work: the audit log shows a User-Agent beside each request.
const PROGRAMS: Readonly<Record<string, string>> = {
  controllers: "kube-controller-manager",
  kubelet: "kubelet",
  network: "kube-proxy",
};

/** A client with which a part of local mode, named in its requests, talks to the API server. */
export async function localClient({ server, pki }: LocalConfig, part: string): Promise<KubeClient> {
  const [ca, token] = await Promise.all([readFile(pki.caFile, "utf8"), readFile(pki.tokenFile, "utf8")]);
  const credentials = fixedCredential({ authorization: `Bearer ${token.trim()}` });
  return new KubeClient({ server, ca, credentials }, { userAgent: PROGRAMS[part] ?? `local-${part}` });
}
