import { fixedCredential, KubeClient } from "@etcd-operator/kubernetes-client";
import type { Access } from "./lone-api-server.ts";

/** A client that goes straight to the API server, under a name of its own. */
export function clientFor({ server, ca, identity }: Access, userAgent: string): KubeClient {
  const credential = "token" in identity ? { authorization: `Bearer ${identity.token}` } : identity;
  return new KubeClient({ server, ca, credentials: fixedCredential(credential) }, { userAgent });
}
