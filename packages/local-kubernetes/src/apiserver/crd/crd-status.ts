import type { CrdCondition, CrdNames, CrdStatus, CustomResourceDefinition } from "./custom-resource-definition.ts";

/**
 * The status of a CRD once its names are settled. `others` are the CRDs beside it: a name that one of them has taken
 * in the same group is not given twice, and a CRD whose names were never accepted is not served.
 */
export function crdStatus(
  crd: CustomResourceDefinition,
  now: Date,
  others: readonly CustomResourceDefinition[] = [],
): CrdStatus {
  const { names, conflict } = settleNames(crd, takenIn(crd.spec.group, others));
  const accepted: Fact = conflict
    ? { type: "NamesAccepted", status: "False", ...conflict }
    : { type: "NamesAccepted", status: "True", reason: "NoConflicts", message: "no conflicts found" };
  const wasEstablished = findCondition(crd, "Established")?.status === "True";
  const established: Fact =
    conflict && !wasEstablished
      ? { type: "Established", status: "False", reason: "NotAccepted", message: "not all names are accepted" }
      : {
          type: "Established",
          status: "True",
          reason: "InitialNamesAccepted",
          message: "the initial names have been accepted",
        };
  return {
    conditions: [accepted, established].map((fact) => condition(crd, fact, now)),
    acceptedNames: names,
    storedVersions: storedVersions(crd, crd),
  };
}

type Fact = Omit<Required<CrdCondition>, "lastTransitionTime">;

interface Taken {
  readonly resources: ReadonlySet<string>;
  readonly kinds: ReadonlySet<string>;
}

interface Settled {
  readonly names: Partial<CrdNames> & { kind: string; plural: string };
  readonly conflict?: { readonly reason: string; readonly message: string };
}

function takenIn(group: string, others: readonly CustomResourceDefinition[]): Taken {
  const taken = others
    .filter(({ spec }) => spec.group === group)
    .map(({ status }): Partial<CrdNames> => status?.acceptedNames ?? {});
  const set = (names: readonly (string | undefined)[]) =>
    new Set(names.filter((name): name is string => name !== undefined && name !== ""));
  return {
    resources: set(taken.flatMap(({ plural, singular, shortNames = [] }) => [plural, singular, ...shortNames])),
    kinds: set(taken.flatMap(({ kind, listKind }) => [kind, listKind])),
  };
}

// Every name is settled by itself; of several conflicts the last one is told.
function settleNames({ spec, status }: CustomResourceDefinition, taken: Taken): Settled {
  const [wanted, had] = [spec.names, status?.acceptedNames ?? {}];
  let conflict: Settled["conflict"];
  const settle = (name: "plural" | "singular" | "kind" | "listKind", used: ReadonlySet<string>) => {
    const asked = wanted[name];
    if (asked === had[name] || asked === undefined || !used.has(asked)) return asked;
    conflict = { reason: `${capitalised(name)}Conflict`, message: `"${asked}" is already in use` };
    return had[name];
  };
  const plural = settle("plural", taken.resources) ?? "";
  const singular = settle("singular", taken.resources);
  const clashes = (wanted.shortNames ?? []).filter(
    (name) => !had.shortNames?.includes(name) && taken.resources.has(name),
  );
  if (clashes.length > 0) conflict = { reason: "ShortNamesConflict", message: aggregate(clashes) };
  const shortNames = clashes.length > 0 ? had.shortNames : wanted.shortNames;
  const kind = settle("kind", taken.kinds) ?? "";
  const listKind = settle("listKind", taken.kinds);
  const names = {
    ...(wanted.categories && { categories: wanted.categories }),
    kind,
    ...(listKind && { listKind }),
    plural,
    ...(shortNames && { shortNames }),
    ...(singular && { singular }),
  };
  return conflict ? { names, conflict } : { names };
}

function aggregate(names: readonly string[]): string {
  const messages = names.map((name) => `"${name}" is already in use`);
  return messages.length === 1 ? (messages[0] ?? "") : `[${messages.join(", ")}]`;
}

/** The versions in which objects may lie in the store, once this CRD is taken. */
export function storedVersions({ spec }: CustomResourceDefinition, old?: CustomResourceDefinition): string[] {
  const before = old?.status?.storedVersions ?? [];
  const now = spec.versions.find(({ storage }) => storage);
  return now && !before.includes(now.name) ? [...before, now.name] : [...before];
}

function condition(crd: CustomResourceDefinition, fact: Fact, now: Date): CrdCondition {
  const before = findCondition(crd, fact.type);
  const isSame = before?.status === fact.status && before.lastTransitionTime !== undefined;
  const at = isSame ? before.lastTransitionTime : now.toISOString().replace(/\.\d+Z$/, "Z");
  return { ...(at !== undefined && { lastTransitionTime: at }), ...fact };
}

function findCondition({ status }: CustomResourceDefinition, type: string): CrdCondition | undefined {
  return status?.conditions?.find((each) => each.type === type);
}

function capitalised(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1);
}
