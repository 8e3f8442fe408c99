import type { IncomingMessage } from "node:http";

type Status = {
  readonly phase?: string;
  readonly succeeded?: boolean;
  readonly progress?: { readonly step: string };
  readonly conditions?: readonly { readonly type: string; readonly status: string }[];
  readonly restore?: { readonly state: string };
  readonly memberIntents?: readonly object[];
  readonly memberStatus?: readonly { readonly id?: string }[];
};

const WRITES = ["POST", "PUT", "PATCH", "DELETE"];
/** Nothing follows from them. */
const IGNORED = ["events", "leases"];
/** What makes the name of an object one that was never used. */
const SUFFIX = /-[a-z0-9]{10}(?=$|-)/g;

/** Which step of the work a write is; the same for each pod of its kind. Undefined for what is none. */
export function stepOf({ method = "", url = "" }: IncomingMessage, body: string): string | undefined {
  const { pathname } = new URL(url, "http://api");
  const [, resource = "", name, subresource] =
    /\/namespaces\/[^/]+\/([^/]+)(?:\/([^/]+))?(?:\/(.+))?$/.exec(pathname) ?? [];
  if (!WRITES.includes(method) || !resource || IGNORED.includes(resource)) return undefined;
  const object = body ? (JSON.parse(body) as { metadata?: { name?: string }; status?: Status }) : {};
  const named = (name ?? object.metadata?.name ?? "").replace(SUFFIX, "-*");
  const told = subresource === "status" && object.status ? ` (${summary(object.status)})` : "";
  return `${method} ${resource} ${named}${subresource ? `/${subresource}` : ""}${told}`;
}

function summary({
  phase,
  succeeded,
  progress,
  restore,
  conditions = [],
  memberIntents,
  memberStatus,
}: Status): string {
  const isTrue = conditions.filter(({ status }) => status === "True").map(({ type }) => type);
  const parts = [
    phase,
    succeeded === undefined ? undefined : `succeeded: ${succeeded}`,
    progress?.step,
    restore?.state,
    memberIntents && `${memberIntents.length} intents`,
    memberStatus && `${memberStatus.filter(({ id }) => id).length} members`,
    isTrue.sort().join("+"),
  ];
  return parts.filter((part) => part !== undefined && part !== "").join(", ");
}
