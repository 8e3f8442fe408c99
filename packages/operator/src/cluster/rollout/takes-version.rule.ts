import { factsOf, parseVersion } from "@etcd-operator/etcd-client";
import type { PodSeen } from "../model/observation.ts";

/**
 * Whether another version can run in a pod as it is: it starts with the pod's flags and answers its probes, neither of
 * which can be changed while the pod lives. In a pod of coreos/etcd-operator none can: it never restarts, so an image
 * that cannot be pulled ends it, and its data with it.
 */
export function takesVersion(text: string, { flags, asksForLivez, gate }: PodSeen): boolean {
  const version = parseVersion(text);
  if (!version || gate === "absent") return false;
  const facts = factsOf(version);
  if (asksForLivez && !facts.hasLivezReadyz) return false;
  const names = flags.map((flag) => flag.split("=")[0] ?? "");
  const has = (name: string) => names.includes(`--${name}`);
  const known = [facts.initialCorruptCheck?.flag, facts.compactHashCheck?.flag];
  const isUnknown = (name: string) => name.startsWith("--experimental-") && !known.includes(name);
  if (names.some(isUnknown)) return false;
  if (has("feature-gates") && version.minor < 6) return false;
  if (has("pre-vote") && facts.preVote === "absent") return false;
  // 3.2 knows fewer settings; and one that it knows it reads in whole hours only.
  return version.minor > 2 || !ABSENT_FROM_3_2.some(has);
}

const ABSENT_FROM_3_2 = [
  "listen-metrics-urls",
  "auto-compaction-mode",
  "auto-compaction-retention",
  "max-request-bytes",
];
