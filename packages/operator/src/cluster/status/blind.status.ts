import type { ClusterState } from "../model/cluster-state.ts";
import { majorityOf } from "../model/quorum.ts";
import { tlsDefects } from "../tls/tls-step.rule.ts";

/**
 * Why the operator sees nothing of members that may well serve: its own certificate is unusable or belongs to no user,
 * no member responds, and the kubelets report a majority as ready. What cannot be observed is unknown, not lost.
 */
export function whyBlind({ now, voters }: Pick<ClusterState, "now" | "voters">): string | undefined {
  const cause = tlsDefects(now.seen)[0] ?? (voters.some(({ pod }) => pod?.answer.isForUsers) ? NO_USER : undefined);
  const { length: ready } = voters.filter(({ pod }) => pod?.isReady);
  if (!cause || voters.some(({ pod }) => pod?.answer.status) || ready < majorityOf(voters.length)) return undefined;
  return `The operator cannot query any member; the kubelets report ${ready} of ${voters.length} as ready: ${cause}`;
}

const NO_USER =
  "etcd has authentication enabled and responds to its users only; disable it, or issue the certificate in spec.TLS.static.operatorSecret to a user with the role root";
