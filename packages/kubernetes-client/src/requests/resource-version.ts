const NUMBER = /^\d+$/;

/**
 * Whether a version is another one or newer. Kubernetes promises an order since 1.35, and has always had one: they are
 * revisions of etcd. Versions that are no numbers are only ever equal or not.
 */
export function isAtLeast(version: string, other: string): boolean {
  if (version === other) return true;
  return NUMBER.test(version) && NUMBER.test(other) && BigInt(version) >= BigInt(other);
}

/** Whether a version is known to be older than another one. */
export function isOlder(version: string, than: string): boolean {
  return version !== than && isAtLeast(than, version);
}
