import { badRequest, invalid } from "../api-error.ts";
import { invalid as invalidValue, notSupported } from "../crd/cause.ts";
import { isObject, type JsonObject } from "../kube-object.ts";
import { isDryRun } from "./write-options.ts";

export interface DeleteOptions {
  readonly gracePeriodSeconds?: number;
  readonly propagation?: "Foreground" | "Background" | "Orphan";
  readonly uid?: string;
  readonly resourceVersion?: string;
  readonly isDryRun: boolean;
}

/** Options stand in the body or, where there is none, in the query. */
export function deleteOptions(asked: URLSearchParams, sent: JsonObject | undefined): DeleteOptions {
  const [query, body] = sent ? [new URLSearchParams(), sent] : [asked, {} as JsonObject];
  const grace = body.gracePeriodSeconds ?? numberOf(query.get("gracePeriodSeconds"));
  const orphans = body.orphanDependents ?? { true: true, false: false }[query.get("orphanDependents") ?? ""];
  const wanted = body.propagationPolicy ?? query.get("propagationPolicy") ?? undefined;
  if (orphans !== undefined && wanted !== undefined) throw bothSet(wanted);
  const policy = wanted ?? (orphans === true ? "Orphan" : undefined);
  const preconditions = isObject(body.preconditions) ? body.preconditions : {};
  const dryRun = Array.isArray(body.dryRun) ? body.dryRun : query.getAll("dryRun");
  return {
    // Less than nothing is a second.
    ...(typeof grace === "number" && { gracePeriodSeconds: grace < 0 ? 1 : grace }),
    ...(policy !== undefined && { propagation: propagationOf(policy) }),
    ...(typeof preconditions.uid === "string" && { uid: preconditions.uid }),
    ...(typeof preconditions.resourceVersion === "string" && { resourceVersion: preconditions.resourceVersion }),
    isDryRun: isDryRun(dryRun, "DeleteOptions"),
  };
}

function numberOf(text: string | null): number | undefined {
  if (text === null || text === "") return undefined;
  if (!/^-?\d+$/.test(text)) throw badRequest(`strconv.ParseInt: parsing ${JSON.stringify(text)}: invalid syntax`);
  return Number(text);
}

function bothSet(policy: unknown): Error {
  const why = "orphanDependents and deletionPropagation cannot be both set";
  const cause = invalidValue("propagationPolicy", policy, why);
  return invalid({ group: "meta.k8s.io", kind: "DeleteOptions" }, "", [cause]);
}

function propagationOf(policy: unknown): NonNullable<DeleteOptions["propagation"]> {
  if (policy === "Foreground" || policy === "Background" || policy === "Orphan") return policy;
  const cause = notSupported("propagationPolicy", policy, ["Foreground", "Background", "Orphan", "nil"]);
  throw invalid({ group: "meta.k8s.io", kind: "DeleteOptions" }, "", [cause]);
}
