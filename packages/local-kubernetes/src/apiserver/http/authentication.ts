import { timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import type { TLSSocket } from "node:tls";
import type { ApiContext } from "../api-context.ts";
import { unauthorized } from "../api-error.ts";
import { MASTERS } from "../authorization/authorizer.ts";
import { userOfToken } from "../tokens/token-user.ts";
import type { User } from "./exchange.ts";

/** Finds the user of a request, by client certificate or bearer token; a client with neither is anonymous. */
export interface Authenticator {
  authenticate(request: IncomingMessage): Promise<User>;
}

export const AUTHENTICATED = "system:authenticated";
export const UNAUTHENTICATED = "system:unauthenticated";
export const ANONYMOUS = "system:anonymous";

const ADMIN: User = { username: "kubernetes-admin", groups: [MASTERS, AUTHENTICATED] };
const ANONYMOUS_USER: User = { username: ANONYMOUS, groups: [UNAUTHENTICATED] };

/**
 * Knows the tokens of the file, one a line: the token, and, if it is not the administrator's, the user's name and
 * groups after commas; and those of ServiceAccounts that still exist.
 */
export function authenticatorFor(api: ApiContext, tokenFile: string): Authenticator {
  const users = tokenFile
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map(parseLine);
  // What a connection has shown already, and was found good: tokens of the file do not end.
  const shown = new WeakMap<Socket, { readonly header: string; readonly user: User }>();
  return {
    async authenticate(request) {
      const certified = certifiedUser(request.socket as TLSSocket);
      if (certified) return certified;
      const header = request.headers.authorization ?? "";
      const before = shown.get(request.socket);
      if (before?.header === header) return before.user;
      const [scheme = "", token = ""] = header.split(" ");
      if (scheme.toLowerCase() !== "bearer" || token === "") return ANONYMOUS_USER;
      const known = users.find((each) => isSame(each.token, token));
      if (known) {
        shown.set(request.socket, { header, user: known.user });
        return known.user;
      }
      const found = await userOfToken(api, token);
      if (found.kind === "refused") throw unauthorized();
      return found.user;
    },
  };
}

/** The one on the first line. */
export function adminToken(tokenFile: string): string {
  return parseLine(tokenFile.split("\n")[0] ?? "").token;
}

function parseLine(line: string): { token: string; user: User } {
  const [token = "", username, ...groups] = line.trim().split(",");
  return { token, user: username ? { username, groups: [...groups, AUTHENTICATED] } : ADMIN };
}

function isSame(known: string, sent: string): boolean {
  const [one, other] = [Buffer.from(known), Buffer.from(sent)];
  return one.length === other.length && timingSafeEqual(one, other);
}

// A connection's certificate does not change.
const certified = new WeakMap<TLSSocket, User | "none" | "refused">();

function certifiedUser(socket: TLSSocket): User | undefined {
  const found = certified.get(socket) ?? readCertificate(socket);
  certified.set(socket, found);
  if (found === "refused") throw unauthorized();
  return found === "none" ? undefined : found;
}

function readCertificate(socket: TLSSocket): User | "none" | "refused" {
  const { subject, fingerprint256 } = socket.getPeerCertificate();
  if (!subject) return "none";
  if (!socket.authorized) return "refused";
  // Several organizations come as a list, of which the types know nothing.
  const organizations = [subject.O ?? []].flat();
  const id = `X509SHA256=${fingerprint256.replaceAll(":", "").toLowerCase()}`;
  return {
    username: [subject.CN ?? ""].flat()[0] ?? "",
    groups: [...organizations, AUTHENTICATED],
    extra: { "authentication.kubernetes.io/credential-id": [id] },
  };
}
