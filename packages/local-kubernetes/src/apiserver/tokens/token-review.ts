import type { ApiContext } from "../api-context.ts";
import { badRequest } from "../api-error.ts";
import { aggregated } from "../authorization/authorizer.ts";
import { type JsonObject, objectIn, textIn } from "../kube-object.ts";
import { userOfToken } from "./token-user.ts";

/** POST of a TokenReview: whose token is it? */
export async function reviewToken(api: ApiContext, body: JsonObject): Promise<JsonObject> {
  const token = textIn(body, "spec", "token");
  if (token === "") throw badRequest("token is required for TokenReview in authentication");
  const { audiences } = objectIn(body, "spec");
  const asked = Array.isArray(audiences) && audiences.length > 0 ? (audiences as string[]) : undefined;
  const found = await userOfToken(api, token, asked);
  if (found.kind === "refused") return { user: {}, error: aggregated(found.why) };
  return { authenticated: true, user: found.user, audiences: found.audiences };
}
