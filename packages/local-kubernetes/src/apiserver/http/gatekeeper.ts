import type { IncomingMessage } from "node:http";
import { type Authorizer, isMaster, RBAC_GROUP } from "../authorization/authorizer.ts";
import { forbiddenRequest } from "../authorization/forbidden-request.ts";
import type { Attributes } from "../authorization/policy-rule.ts";
import { requestAttributes } from "../authorization/request-attributes.ts";
import type { Authenticator } from "./authentication.ts";
import type { User } from "./exchange.ts";
import { hasImpersonation, impersonationOf } from "./impersonation.ts";
import { parsePath } from "./request-path.ts";
import { requestUrl } from "./request-url.ts";

/** Says who comes in, as whom, and whether for this. */
export class Gatekeeper {
  readonly #authenticator: Authenticator;
  readonly #authorizer: Pick<Authorizer, "decide" | "rolesWritten">;

  constructor(authenticator: Authenticator, authorizer: Pick<Authorizer, "decide" | "rolesWritten">) {
    this.#authenticator = authenticator;
    this.#authorizer = authorizer;
  }

  /** As whom the request is to be handled; throws where its sender may not. */
  async admit(request: IncomingMessage): Promise<User> {
    const sender = await this.#authenticator.authenticate(request);
    const impersonation = hasImpersonation(request) ? impersonationOf(request) : undefined;
    for (const right of impersonation?.needs ?? []) await this.#require(sender, right);
    const user = impersonation?.user ?? sender;
    // Most requests come from local mode's own parts, and are not even looked at.
    if (isMaster(user)) return user;
    await this.#require(user, requestAttributes(request.method ?? "GET", requestUrl(request.url)));
    return user;
  }

  /** Tells that a request was answered: one that wrote a role counts for the next. */
  answered({ method, url = "" }: IncomingMessage): void {
    // A quick look first: nearly all are about something else, unless escapes hide it.
    if (method === "GET" || !(url.includes(RBAC_GROUP) || url.includes("%"))) return;
    const path = parsePath(requestUrl(url).pathname);
    if (path.kind === "resource" && path.group === RBAC_GROUP) this.#authorizer.rolesWritten();
  }

  async #require(user: User, asked: Attributes): Promise<void> {
    const { isAllowed, reason } = await this.#authorizer.decide(user, asked);
    if (!isAllowed) throw forbiddenRequest(user.username, asked, reason);
  }
}
