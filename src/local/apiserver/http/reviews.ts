import { methodNotAllowed } from "../api-error.ts";
import { type JsonObject, objectIn } from "../kube-object.ts";
import type { Exchange } from "./exchange.ts";

/** Questions that clients post about themselves; the answer is in the status. Whoever is known may do everything. */
export const REVIEWS: readonly Review[] = [
  {
    group: "authentication.k8s.io",
    plural: "selfsubjectreviews",
    kind: "SelfSubjectReview",
    status: (_body, { user }) => ({ userInfo: user }),
  },
  {
    group: "authorization.k8s.io",
    plural: "selfsubjectaccessreviews",
    kind: "SelfSubjectAccessReview",
    status: () => ({ allowed: true }),
  },
  {
    group: "authorization.k8s.io",
    plural: "selfsubjectrulesreviews",
    kind: "SelfSubjectRulesReview",
    status: () => ({
      resourceRules: [{ verbs: ["*"], apiGroups: ["*"], resources: ["*"] }],
      nonResourceRules: [{ verbs: ["*"], nonResourceURLs: ["*"] }],
      incomplete: false,
    }),
  },
];

export interface Review {
  readonly group: string;
  readonly plural: string;
  readonly kind: string;
  status(body: JsonObject, exchange: Exchange): JsonObject;
}

export async function handleReview(exchange: Exchange, review: Review): Promise<void> {
  if (exchange.method !== "POST") throw methodNotAllowed();
  const body = await exchange.body(review.kind);
  exchange.json(201, {
    kind: review.kind,
    apiVersion: `${review.group}/v1`,
    metadata: { creationTimestamp: null },
    spec: objectIn(body, "spec"),
    status: review.status(body, exchange),
  });
}
