import { ApiError, forbidden } from "../api-error.ts";
import type { Attributes } from "./policy-rule.ts";

/** The refusal of a request that its sender has no right to. */
export function forbiddenRequest(username: string, asked: Attributes, why: string): ApiError {
  const reason = why === "" ? "" : `: ${why}`;
  if (asked.kind === "path") {
    const message = `forbidden: User "${username}" cannot ${asked.verb} path "${asked.path}"${reason}`;
    return new ApiError(403, "Forbidden", message, {});
  }
  const { verb, group, resource, subresource, namespace, name } = asked;
  const what = subresource === "" ? resource : `${resource}/${subresource}`;
  const where = namespace === "" ? "at the cluster scope" : `in the namespace "${namespace}"`;
  const cannot = `User "${username}" cannot ${verb} resource "${what}" in API group "${group}" ${where}${reason}`;
  return forbidden({ group, plural: resource }, name, cannot);
}
