import { badRequest, invalid } from "../api-error.ts";
import { type Cause, forbidden, notSupported } from "../crd/cause.ts";

/** Refuses numbers that cannot be read; nothing else is looked at before. */
export function checkListNumbers(query: URLSearchParams): void {
  for (const name of ["limit", "timeoutSeconds"]) checkNumber(query.get(name));
}

/** Refuses options that contradict each other. */
export function checkListOptions(query: URLSearchParams, isWatch: boolean): void {
  const causes = isWatch ? watchCauses(query) : listCauses(query);
  if (causes.length > 0) throw invalid({ group: "meta.k8s.io", kind: "ListOptions" }, "", causes);
}

function checkNumber(text: string | null): void {
  if (text === null || /^-?\d*$/.test(text)) return;
  throw badRequest(`strconv.ParseInt: parsing ${JSON.stringify(text)}: invalid syntax`);
}

const MATCH = "resourceVersionMatch";
const CONTINUED = forbidden(MATCH, `${MATCH} is forbidden when continue is provided`);

function listCauses(query: URLSearchParams): Cause[] {
  const initial = query.has("sendInitialEvents")
    ? [forbidden("sendInitialEvents", "sendInitialEvents is forbidden for list")]
    : [];
  return [...initial, ...matchCauses(query)];
}

function matchCauses(query: URLSearchParams): Cause[] {
  const match = query.get(MATCH) ?? "";
  const version = versionIn(query);
  if (match === "") return [];
  const continued = query.get("continue") ? [CONTINUED] : [];
  const unset = version === "" ? [forbidden(MATCH, `${MATCH} is forbidden unless resourceVersion is provided`)] : [];
  const unknown =
    match === "Exact" || match === "NotOlderThan" ? [] : [notSupported(MATCH, match, ["Exact", "NotOlderThan", ""])];
  const exact =
    match === "Exact" && version === "0"
      ? [forbidden(MATCH, `${MATCH} "exact" is forbidden for resourceVersion "0"`)]
      : [];
  return [...continued, ...unset, ...unknown, ...exact];
}

function watchCauses(query: URLSearchParams): Cause[] {
  // A watch that begins nowhere in particular is first sent what is there.
  const isLegacy = !query.has("sendInitialEvents") && !query.get(MATCH) && ["", "0"].includes(versionIn(query));
  const match = isLegacy ? "NotOlderThan" : (query.get(MATCH) ?? "");
  const isInitial = isLegacy || query.has("sendInitialEvents");
  const causes: Cause[] = [];
  if (match !== "" && !isInitial) {
    causes.push(forbidden(MATCH, `${MATCH} is forbidden for watch unless sendInitialEvents is provided`));
  }
  if (isInitial && match !== "NotOlderThan") {
    causes.push(forbidden(MATCH, `sendInitialEvents requires setting ${MATCH} to NotOlderThan`));
  }
  if (match !== "" && match !== "NotOlderThan") causes.push(notSupported(MATCH, match, ["NotOlderThan"]));
  if (match !== "" && query.get("continue")) causes.push(CONTINUED);
  return causes;
}

function versionIn(query: URLSearchParams): string {
  return query.get("resourceVersion") ?? "";
}
