import { STATIC_TLS } from "@etcd-operator/testing/cluster/an-etcd-cluster.ts";
import { refused, reported, works } from "../field-value.ts";
import type { Entries, Entry } from "./entry.ts";

/**
 * The cluster has both kinds of certificates; there is another set of Secrets by the same authority, under names that
 * end in `-2`.
 */
const given = { TLS: STATIC_TLS };

const secret = (role: string): Entry => ({
  given,
  but: { empty: "refused", longest: { says: /a{200}/ } },
  also: [
    works("usual", `${role}-2`),
    reported("no-such-secret", "none-such", /none-such/),
    refused("capitals", "Peer"),
    refused("absent", undefined),
  ],
});

/** Every property of a cluster's TLS; what is running has it or does not, and stays so. */
export const tlsEntries: Entries = {
  TLS: { also: [refused("switched-on", STATIC_TLS)] },
  "TLS.static": { given, but: { empty: "refused" } },
  "TLS.static.member": { given, but: { empty: "refused" } },
  "TLS.static.member.peerSecret": secret("peer"),
  "TLS.static.member.serverSecret": secret("server"),
  "TLS.static.operatorSecret": secret("operator"),
};
