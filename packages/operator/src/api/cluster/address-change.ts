import type { ChangeRule } from "../schema/rule.ts";

const RUNS = "has(self.status) && has(self.status.clusterID) && self.status.clusterID != ''";

/**
 * Members with and without TLS cannot talk to each other, and members know each other by URLs that say which they are.
 */
export const tlsStays: ChangeRule = {
  cel: `!(${RUNS}) || (${celSecret("self", "peerSecret")}) == (${celSecret("oldSelf", "peerSecret")}) &&
    (${celSecret("self", "serverSecret")}) == (${celSecret("oldSelf", "serverSecret")})`,
  message:
    "spec.TLS {}: TLS cannot be switched on or off while members run; revert the change, or restore a backup into a new cluster with the new setting",
  offender: {
    cel: `"now has " + (${celSecret("self", "peerSecret")} ? "peerSecret" : "no peerSecret") + ", " +
      (${celSecret("self", "serverSecret")} ? "serverSecret" : "no serverSecret")`,
  },
};

/** The domain is part of the names by which members know each other. */
export const domainStays: ChangeRule = {
  cel: `!(${RUNS}) || (${celDomain("self")}) == (${celDomain("oldSelf")})`,
  message:
    "spec.pod.ClusterDomain '{}' differs from the domain in the members' URLs; revert the change, or restore a backup into a new cluster",
  offender: { cel: celDomain("self") },
};

function celSecret(root: string, secret: string): string {
  const member = `${root}.spec.TLS.static.member`;
  return `has(${root}.spec.TLS) && has(${root}.spec.TLS.static) && has(${member}) && has(${member}.${secret}) && ${member}.${secret} != ''`;
}

function celDomain(root: string): string {
  return `(has(${root}.spec.pod) && has(${root}.spec.pod.ClusterDomain) ? ${root}.spec.pod.ClusterDomain : '')`;
}
