import type { Version } from "@etcd-operator/etcd-client";
import { factsOf, flagsToSwitchOn, type Switch } from "@etcd-operator/etcd-client";
import type { EtcdClusterSpec } from "../../../api/etcd-cluster.ts";

/** Flags for `spec.etcd` and for our own choices. A variable in `etcdEnv` wins: etcd exits when it gets both. */
export function tunableFlags(spec: EtcdClusterSpec, version: Version): string[] {
  const variables = new Set(spec.pod?.etcdEnv?.map(({ name }) => name));
  const isFree = (flag: string) => !variables.has(variableOf(flag));
  return [
    ...settingFlags({ ...ownSettings(version), ...spec.etcd }, version),
    ...(factsOf(version).preVote === "off-by-default" ? ["--pre-vote=true"] : []),
    ...flagsToSwitchOn(checks(spec, version).filter(({ flag }) => !flag || isFree(flag))),
  ].filter(isFree);
}

type Settings = NonNullable<EtcdClusterSpec["etcd"]>;

const FLAGS: Readonly<Record<keyof Settings, string>> = {
  quotaBackendBytes: "--quota-backend-bytes",
  autoCompactionMode: "--auto-compaction-mode",
  autoCompactionRetention: "--auto-compaction-retention",
  heartbeatIntervalMs: "--heartbeat-interval",
  electionTimeoutMs: "--election-timeout",
  snapshotCount: "--snapshot-count",
  maxRequestBytes: "--max-request-bytes",
};

/**
 * As often as 3.6 saves its log of its own accord: less to keep in memory and to replay, and soon done when it has to
 * happen before the next minor.
 */
function ownSettings({ minor }: Version): Settings {
  return minor < 6 ? { snapshotCount: 10_000 } : {};
}

function settingFlags(settings: Settings, version: Version): string[] {
  return (Object.keys(FLAGS) as (keyof Settings)[])
    .filter((key) => settings[key] !== undefined && takes(version, key, settings))
    .map((key) => `${FLAGS[key]}=${settings[key]}`);
}

/** 3.2 compacts by whole hours only, and limits requests at a size of its own. */
function takes({ minor }: Version, key: keyof Settings, settings: Settings): boolean {
  if (minor > 2) return true;
  if (key === "autoCompactionMode" || key === "maxRequestBytes") return false;
  if (key !== "autoCompactionRetention") return true;
  return settings.autoCompactionMode !== "revision" && /^[0-9]+$/.test(settings.autoCompactionRetention ?? "");
}

/** The first makes members that all come back at once wait for each other, 7 s per peer: measured, and worth it. */
function checks(spec: EtcdClusterSpec, version: Version): Switch[] {
  const { initialCorruptCheck, compactHashCheck } = factsOf(version);
  // 3.3 asks its peers without TLS. Where they use it, every start would take 7 s per peer and find out nothing.
  const asksInVain = version.minor === 3 && Boolean(spec.TLS?.static?.member?.peerSecret);
  return [asksInVain ? undefined : initialCorruptCheck, compactHashCheck].filter((check) => check !== undefined);
}

/** `--pre-vote=true` → `ETCD_PRE_VOTE`, as etcd derives it. */
function variableOf(flag: string): string {
  const [name = ""] = flag.replace(/^--/, "").split("=");
  return `ETCD_${name.toUpperCase().replaceAll("-", "_")}`;
}
