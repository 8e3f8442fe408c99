import { SCOPE_ANNOTATION } from "./group.ts";

const CLUSTERWIDE = "clusterwide";

interface Annotated {
  readonly metadata?: { readonly annotations?: Readonly<Record<string, string>> | undefined } | undefined;
}

/** Whether a cluster-wide operator manages an object; otherwise the operator of its namespace does. */
export function isClusterWide({ metadata }: Annotated): boolean {
  return metadata?.annotations?.[SCOPE_ANNOTATION] === CLUSTERWIDE;
}

/** Whether an object belongs to another operator now than when it was read. */
export function hasOtherScope(seen: Annotated, live: Annotated): boolean {
  return isClusterWide(seen) !== isClusterWide(live);
}
