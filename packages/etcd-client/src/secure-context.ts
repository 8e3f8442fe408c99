import { createSecureContext, type SecureContext } from "node:tls";
import type { EndpointTls } from "./endpoint.ts";

const contexts = new WeakMap<EndpointTls, WeakRef<SecureContext>>();

/**
 * What Node's TLS makes of certificates and key: milliseconds of work, and tens of kilobytes. All connections with the
 * same credentials have one, which goes with the last of them; the next gets another. Nothing of one connection is in
 * it: each has a handshake of its own, and checks the name in the server's certificate. Throws when the credentials are
 * of no use.
 */
export function secureContextOf(tls: EndpointTls): SecureContext {
  const known = contexts.get(tls)?.deref();
  if (known) return known;
  const { ca, cert, key } = tls;
  const made = createSecureContext({
    ca: pem(ca),
    // As in Go, and so in every other client of etcd: every authority in the bundle is trusted, also one below the
    // root.
    allowPartialTrustChain: true,
    ...(cert !== undefined && { cert: pem(cert) }),
    ...(key !== undefined && { key: pem(key) }),
  });
  contexts.set(tls, new WeakRef(made));
  return made;
}

function pem(text: string | Uint8Array): string | Buffer {
  return typeof text === "string" ? text : Buffer.from(text);
}
