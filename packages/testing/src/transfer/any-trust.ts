import type { Trust } from "@etcd-operator/operator/transfer/trust/trust.ts";

/** For tests of something else: every namespace may do what the operator may, and no name server is asked. */
export const ANY_TRUST: Trust & { readonly trustedNamespaces: readonly string[] } = {
  trustedNamespaces: ["*"],
  allowsLoopback: true,
  resolve: (_name, _options, done) => done(null, []),
  isTrusted: async () => true,
};
