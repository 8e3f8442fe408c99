/**
 * A set of fields, in memory as in JSON (`fieldsV1`): a tree whose keys are path elements such as `f:spec`, `k:{"name":"a"}`,
 * `v:"x"`. A field without fields of its own, `{}`, is in the set; one that has some is in it when it has `.` as well.
 * Nothing here changes what it is given: what stays as it is is shared.
 */
export interface FieldSet {
  readonly [element: string]: FieldSet;
}

export const NOTHING: FieldSet = {};

/** A field that is in the set, and none below it. */
export const LEAF: FieldSet = {};

const SELF = ".";

export function isEmpty(set: FieldSet): boolean {
  for (const _ in set) return false;
  return true;
}

export function union(one: FieldSet, other: FieldSet): FieldSet {
  if (one === other || isEmpty(other)) return one;
  return isEmpty(one) ? other : unionOf(one, other);
}

/** What is in one and not in the other; what lies below a field of the other stays. */
export function difference(one: FieldSet, other: FieldSet): FieldSet {
  if (isEmpty(one) || isEmpty(other)) return one;
  return differenceOf(one, other) ?? NOTHING;
}

/** The same without everything that lies below a field of the other. */
export function recursiveDifference(one: FieldSet, other: FieldSet): FieldSet {
  let kept: Record<string, FieldSet> | undefined;
  for (const element in other) {
    const [field, removed] = [one[element], other[element]];
    if (!field || !removed) continue;
    const rest = isMember(removed) ? undefined : recursiveDifference(field, removed);
    if (rest === field) continue;
    kept ??= { ...one };
    if (rest && !isEmpty(rest)) kept[element] = rest;
    else delete kept[element];
  }
  return kept ?? one;
}

export function intersection(one: FieldSet, other: FieldSet): FieldSet {
  if (isEmpty(one) || isEmpty(other)) return NOTHING;
  return intersectionOf(one, other) ?? NOTHING;
}

/** Whether the tree's own root is meant, beside what is below it. */
export function isMember(field: FieldSet): boolean {
  return SELF in field || isEmpty(field);
}

/** The field itself, and what is below it. */
export function asMember(field: FieldSet | undefined): FieldSet {
  if (!field) return LEAF;
  return isMember(field) ? field : { [SELF]: LEAF, ...field };
}

/** What is below a field, without the field itself. */
export function below(field: FieldSet | undefined): FieldSet {
  if (!field || !(SELF in field)) return field ?? NOTHING;
  const { [SELF]: _, ...rest } = field;
  return rest;
}

export function sameSet(one: FieldSet, other: FieldSet): boolean {
  if (one === other) return true;
  let count = 0;
  for (const element in one) {
    const [field, twin] = [one[element], other[element]];
    if (!field || !twin || !sameSet(field, twin)) return false;
    count++;
  }
  for (const _ in other) count--;
  return count === 0;
}

/** Every path of the set: at each place first the fields that are in it, then what is below them. */
export function paths(set: FieldSet, prefix: readonly string[] = []): string[][] {
  const entries = Object.entries(set).filter(([element]) => element !== SELF);
  return [
    ...entries.filter(([, field]) => isMember(field)).map(([element]) => [...prefix, element]),
    ...entries.flatMap(([element, field]) => paths(field, [...prefix, element])),
  ];
}

/** The same for one field and what is below it, where an empty one is the field itself. */
export function unionOf(one: FieldSet, other: FieldSet): FieldSet {
  if (one === other) return one;
  if (isEmpty(other)) return asMember(one);
  if (isEmpty(one)) return asMember(other);
  let made: Record<string, FieldSet> | undefined;
  for (const element in other) {
    const [field, added] = [one[element], other[element]];
    if (!added) continue;
    const both = field ? (element === SELF ? field : unionOf(field, added)) : added;
    if (both === field) continue;
    made ??= { ...one };
    made[element] = both;
  }
  return made ?? one;
}

function differenceOf(one: FieldSet, other: FieldSet): FieldSet | undefined {
  if (isEmpty(one)) return isMember(other) ? undefined : one;
  if (isEmpty(other)) return SELF in one ? withoutSelf(one) : one;
  let made: Record<string, FieldSet> | undefined;
  for (const element in other) {
    const [field, removed] = [one[element], other[element]];
    if (!field || !removed) continue;
    const rest = element === SELF ? undefined : differenceOf(field, removed);
    if (rest === field) continue;
    made ??= { ...one };
    if (rest) made[element] = rest;
    else delete made[element];
  }
  if (!made) return one;
  return isEmpty(made) ? undefined : collapsed(made);
}

function withoutSelf(field: FieldSet): FieldSet | undefined {
  const rest = below(field);
  return isEmpty(rest) ? undefined : rest;
}

// A field that has only itself left is a leaf.
function collapsed(field: FieldSet): FieldSet {
  for (const element in field) if (element !== SELF) return field;
  return LEAF;
}

function intersectionOf(one: FieldSet, other: FieldSet): FieldSet | undefined {
  const isIn = isMember(one) && isMember(other);
  const made: Record<string, FieldSet> = isIn ? { [SELF]: LEAF } : {};
  let hasMore = false;
  for (const element in one) {
    const [field, twin] = [one[element], other[element]];
    if (element === SELF || !field || !twin) continue;
    const both = intersectionOf(field, twin);
    if (!both) continue;
    made[element] = both;
    hasMore = true;
  }
  if (hasMore) return made;
  return isIn ? LEAF : undefined;
}
