import type { IncomingMessage } from "node:http";
import type { ResourceAttributes } from "../authorization/policy-rule.ts";
import { serviceAccountGroups } from "../tokens/token-user.ts";
import { ANONYMOUS, AUTHENTICATED, UNAUTHENTICATED } from "./authentication.ts";
import type { User } from "./exchange.ts";

/** A user as whom a request is to be authorized, and the rights that its sender needs for that. */
export interface Impersonation {
  readonly user: User;
  readonly needs: readonly ResourceAttributes[];
}

const EXTRA = "impersonate-extra-";

/** A quick look, for all the requests that have none. */
export function hasImpersonation({ rawHeaders }: Pick<IncomingMessage, "rawHeaders">): boolean {
  for (let index = 0; index < rawHeaders.length; index += 2) if (PREFIX.test(rawHeaders[index] ?? "")) return true;
  return false;
}

const PREFIX = /^impersonate-/i;

type Headers = Pick<IncomingMessage, "headersDistinct">;

/** Undefined: the request comes from its sender. Throws where everything but the user is named. */
export function impersonationOf({ headersDistinct: headers }: Headers): Impersonation | undefined {
  const username = headers["impersonate-user"]?.[0] ?? "";
  const groups = headers["impersonate-group"] ?? [];
  const uid = headers["impersonate-uid"]?.[0] ?? "";
  const extra = Object.entries(headers)
    .filter(([name]) => name.startsWith(EXTRA))
    .map(([name, values]) => [decodedKey(name.slice(EXTRA.length)), values ?? []] as const);
  if (username === "") {
    if (groups.length === 0 && uid === "" && extra.length === 0) return undefined;
    throw new WithoutUser(described(groups, extra, uid));
  }
  const account = /^system:serviceaccount:([^:]+):([^:]+)$/.exec(username);
  const [, namespace = "", name = ""] = account ?? [];
  return {
    user: {
      username,
      ...(uid !== "" && { uid }),
      groups: groupsFor(username, groups.length > 0 || !account ? groups : serviceAccountGroups(namespace)),
      ...(extra.length > 0 && { extra: Object.fromEntries(extra) }),
    },
    needs: [
      account ? right("", "serviceaccounts", name, namespace) : right("", "users", username),
      ...groups.map((group) => right("", "groups", group)),
      ...extra.flatMap(([key, values]) => values.map((value) => right(AUTHENTICATION, `userextras/${key}`, value))),
      ...(uid === "" ? [] : [right(AUTHENTICATION, "uids", uid)]),
    ],
  };
}

const AUTHENTICATION = "authentication.k8s.io";

/** Groups or the like without a user. */
export class WithoutUser extends Error {
  override readonly name = "WithoutUser";

  constructor(what: string) {
    super(`requested [${what}] without impersonating a user`);
  }
}

// In the words of a real server, which prints what it made of the headers.
function described(groups: readonly string[], extra: Extra, uid: string): string {
  return [
    ...groups.map((group) => `{Group  ${group}    }`),
    ...extra.flatMap(([key, values]) => values.map((value) => `{UserExtra  ${value}  ${AUTHENTICATION}/v1  ${key}}`)),
    ...(uid === "" ? [] : [`{UID  ${uid}  ${AUTHENTICATION}/v1  }`]),
  ].join(" ");
}

type Extra = readonly (readonly [string, readonly string[]])[];

function groupsFor(username: string, groups: readonly string[]): string[] {
  if (username === ANONYMOUS) return [...new Set([...groups, UNAUTHENTICATED])];
  if (groups.includes(AUTHENTICATED) || groups.includes(UNAUTHENTICATED)) return [...groups];
  return [...groups, AUTHENTICATED];
}

function right(group: string, what: string, name: string, namespace = ""): ResourceAttributes {
  // A key may hold slashes of its own.
  const [resource = "", ...subresource] = what.split("/");
  return {
    kind: "resource",
    verb: "impersonate",
    group,
    resource,
    subresource: subresource.join("/"),
    namespace,
    name,
  };
}

function decodedKey(key: string): string {
  try {
    return decodeURIComponent(key);
  } catch {
    return key;
  }
}
