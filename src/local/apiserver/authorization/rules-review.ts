import type { ApiContext } from "../api-context.ts";
import { badRequest } from "../api-error.ts";
import type { User } from "../http/exchange.ts";
import { type JsonObject, textIn } from "../kube-object.ts";
import { aggregated, missingRole } from "./authorizer.ts";

/** POST of a SelfSubjectRulesReview: what may I do here? */
export async function reviewRules(api: ApiContext, body: JsonObject, user: User): Promise<JsonObject> {
  const namespace = textIn(body, "spec", "namespace");
  if (namespace === "") throw badRequest("no namespace on request");
  const { rules, missing } = await api.authorizer.rightsOf(user, namespace);
  return {
    resourceRules: rules
      .filter(({ resources }) => resources.length > 0)
      .map(({ verbs, apiGroups, resources, resourceNames }) => ({
        ...{ verbs, apiGroups, resources },
        ...(resourceNames.length > 0 && { resourceNames }),
      })),
    nonResourceRules: rules
      .filter(({ nonResourceURLs }) => nonResourceURLs.length > 0)
      .map(({ verbs, nonResourceURLs }) => ({ verbs, nonResourceURLs })),
    incomplete: false,
    ...(missing.length > 0 && { evaluationError: aggregated(missing.map(missingRole)) }),
  };
}
