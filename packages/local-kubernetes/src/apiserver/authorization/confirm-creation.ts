import type { ApiContext } from "../api-context.ts";
import type { User } from "../http/exchange.ts";
import type { Target } from "../verbs/target.ts";
import { forbiddenRequest } from "./forbidden-request.ts";

/**
 * The right to patch an object does not include the right to create it: an apply that turns out to be a creation needs
 * that right too.
 */
export async function confirmCreation(api: ApiContext, target: Target, user: User): Promise<void> {
  const { resource, namespace = "", name } = target;
  const { group, plural } = resource;
  const asked = {
    kind: "resource",
    verb: "create",
    group,
    resource: plural,
    subresource: "",
    namespace,
    name,
  } as const;
  const { isAllowed, reason } = await api.authorizer.decide(user, asked);
  if (!isAllowed) throw forbiddenRequest(user.username, asked, reason);
}
