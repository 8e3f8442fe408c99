import type { PodSeen } from "../model/observation.ts";
import { listOf, type Rule, type Situation } from "../model/situation.ts";
import { tlsDefects } from "./tls-step.rule.ts";

/**
 * Members with TLS and members without cannot connect to each other, and a client knows only one of the two
 * ways: there is no order in which a running cluster could be changed one member after another. Nor does a member come
 * back meanwhile: its pod would be made from the spec as it is, and use what the others do not.
 */
export const refuseTlsSwitch: Rule = ({ seen, spec }) => {
  const { peerSecret, serverSecret } = spec.TLS?.static?.member ?? {};
  const differs = (pod: PodSeen) =>
    speaksTls(pod, "peer") !== Boolean(peerSecret) || speaksTls(pod, "client") !== Boolean(serverSecret);
  const others = seen.pods.filter((pod) => !pod.isTerminating && pod.flags.length > 0 && differs(pod));
  if (others.length === 0) return undefined;
  const remedy = "put spec.TLS back, and restore a backup into a new cluster that has it from the start";
  const message = `spec.TLS cannot be switched on or off while members run (${listOf(others.map(({ name }) => name))}): ${remedy}`;
  return { kind: "hold", reason: "TlsSwitchRefused", message };
};

/** No cluster is bootstrapped with unusable certificates. */
export const holdBootstrapForTls: Rule = (now) => (now.status.clusterID ? undefined : holdForTls(now));

/** No member is added or restarted with unusable certificates; running members are left alone. */
export const holdForTls: Rule = ({ seen }: Situation) => {
  const defects = tlsDefects(seen);
  if (defects.length === 0) return undefined;
  return { kind: "hold", reason: "CertificatesUnusable", message: defects.join("; ") };
};

function speaksTls({ flags }: PodSeen, to: "peer" | "client"): boolean {
  return flags.some((flag) => flag.startsWith(`--listen-${to}-urls=https://`));
}
