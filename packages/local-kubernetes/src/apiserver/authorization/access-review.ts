import type { ApiContext } from "../api-context.ts";
import { invalid } from "../api-error.ts";
import { type Cause, invalid as invalidValue } from "../crd/cause.ts";
import type { User } from "../http/exchange.ts";
import { isObject, type JsonObject, objectIn, textIn } from "../kube-object.ts";
import type { Attributes } from "./policy-rule.ts";
import type { Subject } from "./rights-index.ts";

/** The subject of the review: the sender, any user, or any user in one namespace. */
export type Asked =
  | { readonly kind: "self"; readonly user: User }
  | { readonly kind: "subject" }
  | { readonly kind: "local"; readonly namespace: string };

/** POST of a SubjectAccessReview and its like: may they? */
export async function reviewAccess(api: ApiContext, body: JsonObject, asked: Asked): Promise<JsonObject> {
  const spec = objectIn(body, "spec");
  const causes = causesAgainst(spec, asked);
  if (causes.length > 0) throw invalid({ group: "authorization.k8s.io", kind: "" }, "", causes);
  const subject = asked.kind === "self" ? asked.user : subjectOf(spec);
  const { isAllowed, reason } = await api.authorizer.decide(subject, attributesOf(spec));
  return { allowed: isAllowed, ...(reason !== "" && { reason }) };
}

function causesAgainst(spec: JsonObject, asked: Asked): Cause[] {
  const { resourceAttributes, nonResourceAttributes, user, groups } = spec;
  const hasSubject = Boolean(user) || (Array.isArray(groups) && groups.length > 0);
  const path = { Path: textIn(nonResourceAttributes, "path"), Verb: textIn(nonResourceAttributes, "verb") };
  const namespace = textIn(resourceAttributes, "namespace");
  return [
    ...(isObject(resourceAttributes) && isObject(nonResourceAttributes)
      ? [invalidValue("spec.nonResourceAttributes", path, "cannot be specified in combination with resourceAttributes")]
      : []),
    ...(isObject(resourceAttributes) || isObject(nonResourceAttributes)
      ? []
      : [
          invalidValue(
            "spec.resourceAttributes",
            null,
            "exactly one of nonResourceAttributes or resourceAttributes must be specified",
          ),
        ]),
    ...(asked.kind === "self" || hasSubject
      ? []
      : [invalidValue("spec.user", user ?? "", "at least one of user or group must be specified")]),
    ...(asked.kind === "local" && isObject(resourceAttributes) && namespace !== asked.namespace
      ? [invalidValue("spec.resourceAttributes.namespace", namespace, "must match metadata.namespace")]
      : []),
    ...(asked.kind === "local" && isObject(nonResourceAttributes)
      ? [invalidValue("spec.nonResourceAttributes", path, "disallowed on this kind of request")]
      : []),
  ];
}

function subjectOf(spec: JsonObject): Subject {
  const groups = Array.isArray(spec.groups) ? (spec.groups as string[]) : [];
  return { username: textIn(spec, "user"), groups };
}

function attributesOf(spec: JsonObject): Attributes {
  const path = objectIn(spec, "nonResourceAttributes");
  if (isObject(spec.nonResourceAttributes)) {
    return { kind: "path", verb: textIn(path, "verb"), path: textIn(path, "path") };
  }
  const text = (field: string) => textIn(spec, "resourceAttributes", field);
  return {
    kind: "resource",
    verb: text("verb"),
    group: text("group"),
    resource: text("resource"),
    subresource: text("subresource"),
    namespace: text("namespace"),
    name: text("name"),
  };
}
