/**
 * Statuses as plain JSON, field by field: what an API server did not store of what it was sent, and what a schema of
 * ours does not know of what is stored. Both must survive a release that has not heard of them.
 */
type Block = Readonly<Record<string, unknown>>;

/** The fields that were sent and are not stored: the schema of the API server does not have them. */
export function prunedFields(sent: unknown, stored: unknown, path = "status"): readonly string[] {
  if (Array.isArray(sent)) {
    const kept: readonly unknown[] = Array.isArray(stored) ? stored : [];
    return sent.flatMap((item, at) =>
      at < kept.length ? prunedFields(item, kept[at], `${path}[${at}]`) : [`${path}[${at}]`],
    );
  }
  if (!isBlock(sent)) return [];
  const kept = isBlock(stored) ? stored : {};
  return Object.entries(sent).flatMap(([key, value]) => {
    if (value === undefined || value === null) return [];
    const field = `${path}.${key}`;
    return Object.hasOwn(kept, key) ? prunedFields(value, kept[key], field) : [field];
  });
}

/** A status with what another has and it lacks, for the same members, conditions and restores. */
export function filledUp<T>(status: T, from: unknown): T {
  return filled(status, from, undefined) as T;
}

/** A status to be written, with what is stored and no schema of this release knows. */
export function withUnknownFields<T>(next: T, stored: unknown, known: unknown): T {
  return filled(next, stored, known ?? {}) as T;
}

/**
 * Fields of `known` are left out, where there is such a thing: this release knows them, and has taken them away on
 * purpose.
 */
function filled(next: unknown, from: unknown, known: unknown): unknown {
  if (Array.isArray(next) && Array.isArray(from)) {
    const knownItems = Array.isArray(known) ? known : [];
    return next.map((item) => {
      const at = from.findIndex(
        (other) => isBlock(item) && isBlock(other) && idOf(item) !== undefined && isSame(item, other),
      );
      return at < 0 ? item : filled(item, from[at], known === undefined ? undefined : (knownItems[at] ?? {}));
    });
  }
  if (!isBlock(next) || !isBlock(from) || !isSame(next, from)) return next;
  const knownBlock = isBlock(known) ? known : {};
  const result: Record<string, unknown> = { ...next };
  for (const [key, value] of Object.entries(from)) {
    if (value === undefined || value === null) continue;
    const isKnown = known !== undefined && Object.hasOwn(knownBlock, key);
    if (next[key] !== undefined)
      result[key] = filled(next[key], value, known === undefined ? undefined : knownBlock[key]);
    else if (!isKnown) result[key] = value;
  }
  return result;
}

function isSame(one: Block, other: Block): boolean {
  return idOf(one) === idOf(other);
}

/** By which an entry of a status is found again. */
function idOf({ uid, name, type }: Block): unknown {
  return uid ?? name ?? type;
}

function isBlock(value: unknown): value is Block {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
