import { timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { ApiContext } from "../api-context.ts";
import { ApiError, unauthorized } from "../api-error.ts";
import type { User } from "./exchange.ts";

/** Tells who sends a request by its bearer token. */
export interface Authenticator {
  authenticate(request: IncomingMessage): Promise<User>;
}

const ADMIN: User = { username: "kubernetes-admin", groups: ["system:masters", "system:authenticated"] };

/**
 * Knows the tokens of the file, one a line: the token, and, if it is not the administrator's, the user's name and groups after
 * commas; and those of ServiceAccounts that still exist.
 */
export function tokenAuthenticator(api: ApiContext, tokenFile: string): Authenticator {
  const users = tokenFile
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map(parseLine);
  return {
    async authenticate(request) {
      // Without authorization everybody may do everything, so acting as another would be a lie.
      if (request.headers["impersonate-user"] !== undefined) throw impersonationRefused();
      const [scheme = "", token = ""] = (request.headers.authorization ?? "").split(" ");
      if (scheme.toLowerCase() !== "bearer") throw unauthorized();
      const known = users.find((each) => isSame(each.token, token));
      return known?.user ?? serviceAccount(api, token);
    },
  };
}

function impersonationRefused(): ApiError {
  return new ApiError(403, "Forbidden", "local mode knows no impersonation: leave out --as and --as-group");
}

async function serviceAccount(api: ApiContext, token: string): Promise<User> {
  const claims = api.tokens.check(token, api.admission.now());
  if (!claims) throw unauthorized();
  const { namespace, name, uid } = claims;
  const account = await api.admission.find("", "serviceaccounts", name, namespace);
  // An account of the same name that was made later is another one.
  if (account?.metadata.uid !== uid) throw unauthorized();
  return {
    username: `system:serviceaccount:${namespace}:${name}`,
    uid,
    groups: ["system:serviceaccounts", `system:serviceaccounts:${namespace}`, "system:authenticated"],
  };
}

/** The one on the first line. */
export function adminToken(tokenFile: string): string {
  return parseLine(tokenFile.split("\n")[0] ?? "").token;
}

function parseLine(line: string): { token: string; user: User } {
  const [token = "", username, ...groups] = line.trim().split(",");
  return { token, user: username ? { username, groups: [...groups, "system:authenticated"] } : ADMIN };
}

function isSame(known: string, sent: string): boolean {
  const [one, other] = [Buffer.from(known), Buffer.from(sent)];
  return one.length === other.length && timingSafeEqual(one, other);
}
