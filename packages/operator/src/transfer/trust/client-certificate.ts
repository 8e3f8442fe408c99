import { secureContextOf } from "@etcd-operator/etcd-client";
import { messageOf } from "@etcd-operator/kubernetes-client";
import type { Secret } from "kubernetes-types/core/v1.d.ts";

/** A client certificate for etcd, as a Secret in the form of coreos/etcd-operator holds it. */
export type ClientCertificate =
  | { readonly kind: "usable"; readonly tls: { readonly ca: string; readonly cert: string; readonly key: string } }
  | { readonly kind: "unusable"; readonly why: string };

const FILES = { cert: "etcd-client.crt", key: "etcd-client.key", ca: "etcd-client-ca.crt" } as const;

/** @param called how to name the Secret in what is wrong with it */
export function clientCertificateIn({ data = {} }: Pick<Secret, "data">, called: string): ClientCertificate {
  const missing = Object.values(FILES).filter((file) => !data[file]);
  if (missing.length > 0) return unusable(`${called} has no ${missing.map((file) => `'${file}'`).join(", ")}`);
  const pem = (file: string) => Buffer.from(data[file] ?? "", "base64").toString();
  const tls = { cert: pem(FILES.cert), key: pem(FILES.key), ca: pem(FILES.ca) };
  try {
    secureContextOf(tls);
  } catch (error) {
    const files = Object.values(FILES).join(", ");
    return unusable(`${called} has no valid ${files}: ${messageOf(error)}`);
  }
  return { kind: "usable", tls };
}

function unusable(why: string): ClientCertificate {
  return { kind: "unusable", why };
}
