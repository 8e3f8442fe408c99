/** A periodic backup, parsed from its key. */
export interface PeriodicBackup {
  readonly key: string;
  /** That of the member before the snapshot was begun. */
  readonly revision: number;
  readonly takenAtMs: number;
  /** Id of the etcd cluster that it is of, as its metadata says; undefined until that was read. */
  readonly clusterID?: string;
}

/** What all periodic backups under a key have in common, and hardly anything else. */
export function periodicPrefix(key: string): string {
  return `${key}_v`;
}

/** `<key>_v<revision>_<YYYY-MM-DD-HH:MM:SS>` in UTC, as coreos/etcd-operator named them. */
export function periodicKey(key: string, revision: number, takenAtMs: number): string {
  const stamp = new Date(takenAtMs).toISOString().slice(0, 19).replace("T", "-");
  return `${periodicPrefix(key)}${revision}_${stamp}`;
}

/** Undefined for every key that is not exactly one that we would write under `key`. */
export function parsePeriodicKey(key: string, found: string): PeriodicBackup | undefined {
  const prefix = periodicPrefix(key);
  if (!found.startsWith(prefix)) return undefined;
  const parts = /^([0-9]+)_([0-9]{4}-[0-9]{2}-[0-9]{2})-([0-9]{2}:[0-9]{2}:[0-9]{2})$/.exec(found.slice(prefix.length));
  const [revision, takenAtMs] = [Number(parts?.[1]), Date.parse(`${parts?.[2]}T${parts?.[3]}Z`)];
  if (!Number.isSafeInteger(revision) || Number.isNaN(takenAtMs)) return undefined;
  // Written back it has to be the same: no leading zeros, no 31st of February.
  return periodicKey(key, revision, takenAtMs) === found ? { key: found, revision, takenAtMs } : undefined;
}
