import type { ApiContext } from "../api-context.ts";
import { ApiError, badRequest, conflict, invalid } from "../api-error.ts";
import { confirmCreation } from "../authorization/confirm-creation.ts";
import { forbidden, required } from "../crd/cause.ts";
import { type JsonObject, type KubeObject, objectIn, textIn } from "../kube-object.ts";
import { applyFields } from "../managed-fields/apply-fields.ts";
import { appliedMistakes } from "../managed-fields/check-applied.ts";
import { fieldsOfPath } from "../managed-fields/fields-of-path.ts";
import { timestamp } from "../meta/timestamp.ts";
import { type AppliedBody, readApplied } from "../patch/apply-patch.ts";
import { apiVersionOf } from "../storage/stored-json.ts";
import { create } from "./create.ts";
import { readObject } from "./read-body.ts";
import type { Target } from "./target.ts";
import { setManagedFields } from "./track.ts";
import { update } from "./update.ts";
import { checkWantedVersion, withWantedVersion } from "./wanted-version.ts";
import type { WriteOptions } from "./write-options.ts";
import type { Written } from "./written.ts";

export const APPLY = "application/apply-patch+yaml";

const OPTIONS = { group: "meta.k8s.io", kind: "PatchOptions" };

/** Only who applies may force, and has to say who that is. */
export function checkApplyOptions(contentType: string, query: URLSearchParams): void {
  if (contentType === APPLY) {
    if (query.get("fieldManager")) return;
    throw invalid(OPTIONS, "", [required("fieldManager", "is required for apply patch")]);
  }
  if (query.get("force")) throw invalid(OPTIONS, "", [forbidden("force", "may not be specified for non-apply patch")]);
}

/** PATCH with an object as somebody wants it: what they no longer speak of goes, what others have is a conflict. */
export async function applyObject(
  api: ApiContext,
  target: Target,
  text: string,
  options: WriteOptions,
): Promise<Written> {
  const body = readApplied(text, options);
  checkType(target, body.object);
  return applyBody(api, target, body, options);
}

/** The same with a body that was read already; an object that is not there is created. */
export async function applyBody(
  api: ApiContext,
  target: Target,
  body: AppliedBody,
  options: WriteOptions,
): Promise<Written> {
  const tracked = { ...options, isTracked: true, fieldValidation: "Ignore", patchText: () => "" } as const;
  for (;;) {
    try {
      return await update(api, target, tracked, (old) => {
        const object = applied(api, target, body.object, options, old);
        body.report();
        return object;
      });
    } catch (error) {
      if (!isError(error, 404) || target.subresource || options.scalesOnly) throw error;
    }
    try {
      return { ...(await createApplied(api, target, body, tracked)), isNew: true };
    } catch (error) {
      if (!isError(error, 409, "AlreadyExists")) throw error;
    }
  }
}

function isError(error: unknown, code: number, reason?: string): boolean {
  return error instanceof ApiError && error.code === code && (reason === undefined || error.reason === reason);
}

/** The object as it is, with what is applied laid over it. */
function applied(
  api: ApiContext,
  target: Target,
  body: JsonObject,
  options: WriteOptions,
  live: KubeObject,
): KubeObject {
  const { resource } = target;
  const subresource = options.scalesOnly ? "scale" : target.subresource;
  const shape = resource.codec.shape();
  const { object, managedFields } = applyFields({
    shape,
    live,
    applied: body,
    who: {
      manager: options.fieldManager ?? "",
      operation: "Apply",
      apiVersion: apiVersionOf(resource),
      ...(subresource && { subresource }),
    },
    isForced: options.isForced ?? false,
    ofPath: fieldsOfPath(resource, target.subresource),
    ...(!options.scalesOnly && { now: timestamp(api.admission.now()) }),
  });
  const read = readObject(resource, object, { ...options, fieldValidation: "Ignore", isTracked: true });
  setManagedFields(read, managedFields);
  return read;
}

async function createApplied(
  api: ApiContext,
  target: Target,
  { object: body, report }: AppliedBody,
  options: WriteOptions,
): Promise<Written> {
  const { resource, namespace, name } = target;
  const { name: given, uid } = objectIn(body, "metadata");
  const empty = { apiVersion: apiVersionOf(resource), kind: resource.kind, metadata: {} };
  const { metadata } = applied(api, target, body, options, empty);
  report();
  if (!given) {
    throw badRequest(`the name of the object (${name} based on URL) was undeterminable: name must be provided`);
  }
  if (given !== name) {
    throw badRequest(`the name of the object (${given}) does not match the name on the URL (${name})`);
  }
  if (typeof uid === "string" && uid !== "") {
    const why = `uid mismatch: the provided object specified uid ${uid}, and no existing object was found`;
    throw conflict(resource, name, why);
  }
  // Which version it should have is of no interest for an object that has none yet.
  const { resourceVersion, managedFields: _, ...rest } = objectIn(body, "metadata");
  const { managedFields } = metadata;
  const wanted = { ...body, metadata: { ...rest, ...(managedFields && { managedFields }) } };
  if (options.user) await confirmCreation(api, target, options.user);
  checkWantedVersion(resourceVersion);
  return withWantedVersion(await create(api, { resource, namespace, body: wanted, options }), resourceVersion);
}

function checkType({ resource }: Target, body: JsonObject): void {
  const [apiVersion, kind] = [textIn(body, "apiVersion"), textIn(body, "kind")];
  if (apiVersion !== apiVersionOf(resource) || kind !== resource.kind) {
    throw badRequest(`invalid object type: ${typeText(apiVersion, kind)}`);
  }
  if (objectIn(body, "metadata").managedFields !== undefined && objectIn(body, "metadata").managedFields !== null) {
    throw badRequest("metadata.managedFields must be nil");
  }
  const mistakes = appliedMistakes(resource.codec.shape(), body);
  if (mistakes.length === 0) return;
  const [namespace, name] = [textIn(body, "metadata", "namespace"), textIn(body, "metadata", "name")];
  const what = `${namespace}/${name}; ${typeText(apiVersion, kind)}`;
  const all =
    mistakes.length === 1
      ? mistakes[0]
      : `errors:\n${mistakes
          .sort()
          .map((each) => `  ${each}`)
          .join("\n")}`;
  throw new ApiError(500, "", `failed to create typed patch object (${what}): ${all}`);
}

// A group, a slash and a version, also where there is no group.
function typeText(apiVersion: string, kind: string): string {
  return `${apiVersion.includes("/") ? apiVersion : `/${apiVersion}`}, Kind=${kind}`;
}
