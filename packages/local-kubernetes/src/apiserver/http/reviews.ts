import type { ApiContext } from "../api-context.ts";
import { badRequest, methodNotAllowed, unknownResource } from "../api-error.ts";
import { reviewAccess } from "../authorization/access-review.ts";
import { aggregated } from "../authorization/authorizer.ts";
import { type JsonObject, objectIn, textIn } from "../kube-object.ts";
import { timestamp } from "../meta/timestamp.ts";
import { userOfToken } from "../tokens/token-user.ts";
import { readRequest } from "../verbs/read-body.ts";
import type { Exchange, User } from "./exchange.ts";
import { optionsOf } from "./replies.ts";
import type { ResourcePath } from "./request-path.ts";

/** A question that a client posts; nothing is stored, the answer is in the status. */
export interface Review {
  readonly group: string;
  readonly plural: string;
  readonly kind: string;
  readonly namespaced: boolean;
  answer(api: ApiContext, question: Question): Promise<Answered>;
}

interface Question {
  readonly user: User;
  readonly namespace: string;
  readonly body: JsonObject;
}

interface Answered {
  readonly metadata?: JsonObject;
  readonly spec?: JsonObject;
  readonly status: JsonObject;
}

const AUTHENTICATION = { group: "authentication.k8s.io", namespaced: false };
const AUTHORIZATION = { group: "authorization.k8s.io", namespaced: false };

export const REVIEWS: readonly Review[] = [
  {
    ...AUTHENTICATION,
    plural: "selfsubjectreviews",
    kind: "SelfSubjectReview",
    answer: async ({ admission }, { user }) => ({
      metadata: { creationTimestamp: timestamp(admission.now()) },
      status: { userInfo: user },
    }),
  },
  {
    ...AUTHENTICATION,
    plural: "tokenreviews",
    kind: "TokenReview",
    answer: async (api, { body }) => ({ spec: objectIn(body, "spec"), status: await reviewToken(api, body) }),
  },
  {
    ...AUTHORIZATION,
    plural: "localsubjectaccessreviews",
    kind: "LocalSubjectAccessReview",
    namespaced: true,
    answer: async (api, { namespace, body }) => ({
      metadata: { namespace },
      spec: objectIn(body, "spec"),
      status: await reviewAccess(api, body, { kind: "local", namespace }),
    }),
  },
  {
    ...AUTHORIZATION,
    plural: "selfsubjectaccessreviews",
    kind: "SelfSubjectAccessReview",
    answer: async (api, { user, body }) => ({
      spec: objectIn(body, "spec"),
      status: await reviewAccess(api, body, { kind: "self", user }),
    }),
  },
  {
    ...AUTHORIZATION,
    plural: "subjectaccessreviews",
    kind: "SubjectAccessReview",
    answer: async (api, { body }) => ({
      spec: objectIn(body, "spec"),
      status: await reviewAccess(api, body, { kind: "subject" }),
    }),
  },
];

export async function handleReview(
  api: ApiContext,
  exchange: Exchange,
  review: Review,
  { namespace, name }: ResourcePath,
): Promise<void> {
  if (name !== undefined || review.namespaced !== (namespace !== undefined)) throw unknownResource();
  if (exchange.method !== "POST") throw methodNotAllowed();
  const options = optionsOf(exchange, "CreateOptions");
  const gvk = { group: review.group, version: "v1", kind: review.kind };
  const body = readRequest(gvk, await exchange.body(review.kind), options);
  const question = { user: exchange.user, namespace: namespace ?? "", body };
  const { metadata = {}, spec, status } = await review.answer(api, question);
  exchange.json(201, {
    kind: review.kind,
    apiVersion: `${review.group}/v1`,
    metadata,
    ...(spec && { spec }),
    status,
  });
}

/** POST of a TokenReview: whose token is it? */
async function reviewToken(api: ApiContext, body: JsonObject): Promise<JsonObject> {
  const token = textIn(body, "spec", "token");
  if (token === "") throw badRequest("token is required for TokenReview in authentication");
  const { audiences } = objectIn(body, "spec");
  const asked = Array.isArray(audiences) && audiences.length > 0 ? (audiences as string[]) : undefined;
  const found = await userOfToken(api, token, asked);
  if (found.kind === "refused") return { user: {}, error: aggregated(found.why) };
  return { authenticated: true, user: found.user, audiences: found.audiences };
}
