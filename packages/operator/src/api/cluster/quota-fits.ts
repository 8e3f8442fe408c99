import type { EtcdClusterSpec } from "../etcd-cluster.ts";
import { parseQuantity } from "../schema/quantity.ts";

export const DEFAULT_QUOTA_BYTES = 2 * 2 ** 30;
/** etcd keeps up to five files of its log of 64 MiB each. */
const LOG_BYTES = 5 * 64 * 2 ** 20;

/** Room for the database on a volume of this size, beside the log. On a small one the log is taken to be shorter. */
export function roomOnVolume(storage: string | number): number | undefined {
  const bytes = parseQuantity(storage);
  return bytes === undefined ? undefined : bytes - Math.min(LOG_BYTES, bytes / 2);
}

/** What etcd makes of the number that it is given: 0 is its default, and less is no limit. */
export function quotaInBytes(given: number | undefined): number {
  if (given === undefined || given === 0 || Number.isNaN(given)) return DEFAULT_QUOTA_BYTES;
  return given < 0 ? Number.POSITIVE_INFINITY : given;
}

const QUOTA_VARIABLE = "ETCD_QUOTA_BACKEND_BYTES";

/** The quota that new members get. */
export function quotaAsked({ etcd, pod }: EtcdClusterSpec): number {
  const variable = pod?.etcdEnv?.find(({ name }) => name === QUOTA_VARIABLE)?.value;
  return quotaInBytes(etcd?.quotaBackendBytes ?? (variable === undefined ? undefined : Number(variable)));
}

/** What to do where the volume is full before the quota is reached; undefined where it is not, or there is none. */
export function quotaBeyondVolume(spec: EtcdClusterSpec): string | undefined {
  const storage = spec.pod?.persistentVolumeClaimSpec?.resources?.requests?.storage;
  const room = storage === undefined ? undefined : roomOnVolume(storage);
  const quota = quotaAsked(spec);
  if (room === undefined || quota <= room) return undefined;
  const most = Math.floor(room / 2 ** 20) * 2 ** 20;
  return `set spec.etcd.quotaBackendBytes to ${most} or less, or request a larger volume: ${Number.isFinite(quota) ? `the quota of ${inBytes(quota)}` : "an unlimited database"} does not fit into a volume of ${storage} with etcd's log, and etcd crashes on a full volume (docs/operations/nospace.md)`;
}

/** "2 GiB" */
export function inBytes(bytes: number): string {
  const [unit = "B", factor = 1] = UNITS.find(([, least]) => bytes >= least) ?? [];
  return `${Number((bytes / factor).toFixed(1))} ${unit}`;
}

const UNITS: readonly (readonly [string, number])[] = [
  ["GiB", 2 ** 30],
  ["MiB", 2 ** 20],
  ["KiB", 2 ** 10],
];
