import type { ApiContext } from "../api-context.ts";
import { ApiError } from "../api-error.ts";
import { confirmCreation } from "../authorization/confirm-creation.ts";
import { type JsonObject, objectIn, textIn } from "../kube-object.ts";
import { create } from "./create.ts";
import type { Target } from "./target.ts";
import { otherObject, replace } from "./update.ts";
import { checkWantedVersion, withWantedVersion } from "./wanted-version.ts";
import type { WriteOptions } from "./write-options.ts";
import type { Written } from "./written.ts";

/** PUT of an object: a few kinds, such as Leases and roles, are made by it where there is none. */
export async function replaceOrCreate(
  api: ApiContext,
  target: Target,
  body: JsonObject,
  options: WriteOptions,
): Promise<{ readonly code: 200 | 201; readonly written: Written }> {
  try {
    return { code: 200, written: await replace(api, target, body, options) };
  } catch (error) {
    const isMissing = error instanceof ApiError && error.code === 404;
    if (!isMissing || !target.resource.createsOnUpdate) throw error;
    return { code: 201, written: await createInstead(api, target, body, options) };
  }
}

async function createInstead(
  api: ApiContext,
  target: Target,
  body: JsonObject,
  options: WriteOptions,
): Promise<Written> {
  const { resource, namespace } = target;
  const uid = textIn(body, "metadata", "uid");
  if (uid !== "") throw otherObject(target, uid, { metadata: {} }, options.isDryRun);
  if (options.user) await confirmCreation(api, target, options.user);
  // Which version it should have is of no interest for an object that has none yet.
  const { resourceVersion, ...metadata } = objectIn(body, "metadata");
  checkWantedVersion(resourceVersion);
  const created = await create(api, { resource, namespace, body: { ...body, metadata }, options });
  return withWantedVersion(created, resourceVersion);
}
