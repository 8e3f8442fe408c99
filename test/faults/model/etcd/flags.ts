import type { Version } from "@etcd-operator/etcd-client";
import { factsOf } from "@etcd-operator/etcd-client";

/** A member and where the others reach it, as in `--initial-cluster`. */
export interface InitialMember {
  readonly name: string;
  readonly peerUrl: string;
}

/** The command line of an etcd, as far as it matters here. */
export interface EtcdFlags {
  readonly name: string;
  readonly initialCluster: readonly InitialMember[];
  readonly state: "new" | "existing";
  readonly token: string;
  readonly peerUrls: readonly string[];
  readonly clientUrls: readonly string[];
  readonly listensWithTls: boolean;
  readonly quotaBytes: number;
}

export type ParsedFlags =
  | { readonly kind: "flags"; readonly flags: EtcdFlags }
  | { readonly kind: "refused"; readonly why: string };

type Variables = ReadonlyMap<string, string>;

/** Reads a command as a version of etcd would, or says why that does not start with it. */
export function parseFlags(command: readonly string[], variables: Variables, version: Version): ParsedFlags {
  const values = new Map<string, string>();
  for (const word of command.slice(1)) {
    const [, name, value = "true"] = /^--([a-z0-9-]+)(?:=(.*))?$/s.exec(word) ?? [];
    if (name === undefined) return refused(`'${word}' is not a valid flag`);
    if (!isKnown(name, version)) return refused(`flag provided but not defined: -${name}`);
    if (factsOf(version).refusesFlagAndVariable && variables.has(variableOf(name))) {
      return refused(
        `conflicting environment variable "${variableOf(name)}" is shadowed by corresponding command-line flag`,
      );
    }
    values.set(name, value);
  }
  const unread = NUMBERS.map(variableOf).find((name) => !/^\d*$/.test(variables.get(name) ?? ""));
  if (unread !== undefined) return refused(`invalid value "${variables.get(unread)}" for ${unread}: parse error`);
  const state = values.get("initial-cluster-state") ?? "new";
  if (state !== "new" && state !== "existing")
    return refused(`invalid value "${state}" for flag -initial-cluster-state`);
  const initialCluster = initialMembers(values.get("initial-cluster") ?? "");
  if (!initialCluster) return refused(`invalid value "${values.get("initial-cluster")}" for flag -initial-cluster`);
  return { kind: "flags", flags: flagsOf(values, state, initialCluster) };
}

function flagsOf(values: Variables, state: EtcdFlags["state"], initialCluster: readonly InitialMember[]): EtcdFlags {
  const list = (name: string) => (values.get(name) ?? "").split(",").filter((each) => each !== "");
  return {
    name: values.get("name") ?? "default",
    initialCluster,
    state,
    token: values.get("initial-cluster-token") ?? "etcd-cluster",
    peerUrls: list("initial-advertise-peer-urls"),
    clientUrls: list("advertise-client-urls"),
    listensWithTls: list("listen-client-urls").some((url) => url.startsWith("https://")),
    quotaBytes: Number(values.get("quota-backend-bytes") ?? 2 * 1024 ** 3),
  };
}

function initialMembers(text: string): InitialMember[] | undefined {
  const members = text
    .split(",")
    .filter((each) => each !== "")
    .map((each) => {
      const at = each.indexOf("=");
      return { name: each.slice(0, at), peerUrl: each.slice(at + 1), isWhole: at > 0 && /:\/\//.test(each) };
    });
  return members.every(({ isWhole }) => isWhole) ? members.map(({ name, peerUrl }) => ({ name, peerUrl })) : undefined;
}

const ALWAYS: ReadonlySet<string> = new Set([
  ...["data-dir", "name", "initial-advertise-peer-urls", "listen-peer-urls", "listen-client-urls"],
  ...["advertise-client-urls", "initial-cluster", "initial-cluster-state", "initial-cluster-token"],
  ...["peer-client-cert-auth", "peer-trusted-ca-file", "peer-cert-file", "peer-key-file"],
  ...["client-cert-auth", "trusted-ca-file", "cert-file", "key-file"],
  ...["quota-backend-bytes", "auto-compaction-retention", "heartbeat-interval", "election-timeout", "snapshot-count"],
  ...["max-request-bytes", "auto-compaction-mode"],
]);

/** Settings that may come as variables, and have to be numbers. */
const NUMBERS = [
  "quota-backend-bytes",
  "heartbeat-interval",
  "election-timeout",
  "snapshot-count",
  "max-request-bytes",
];

/** Whether a version knows a flag that the operator may use. */
function isKnown(name: string, version: Version): boolean {
  const facts = factsOf(version);
  if (name === "max-request-bytes" || name === "auto-compaction-mode") return version.minor >= 3;
  if (ALWAYS.has(name)) return true;
  const { initialCorruptCheck, compactHashCheck, corruptCheckTimeFlag, watchProgressIntervalFlag } = facts;
  const named = [initialCorruptCheck?.flag, compactHashCheck?.flag, corruptCheckTimeFlag, watchProgressIntervalFlag];
  if (named.includes(`--${name}`)) return true;
  switch (name) {
    case "listen-metrics-urls":
      return facts.hasListenMetricsUrls;
    case "pre-vote":
      return facts.preVote !== "absent";
    case "feature-gates":
      return version.minor >= 6;
    case "max-learners":
      return facts.hasMaxLearnersFlag;
    default:
      // 3.6 knows by their old names what it has renamed.
      return name.startsWith("experimental-") && version.minor === 6;
  }
}

/** `pre-vote` → `ETCD_PRE_VOTE`. */
function variableOf(flag: string): string {
  return `ETCD_${flag.toUpperCase().replaceAll("-", "_")}`;
}

function refused(why: string): ParsedFlags {
  return { kind: "refused", why };
}
