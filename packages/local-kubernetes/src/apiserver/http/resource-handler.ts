import type { ApiContext } from "../api-context.ts";
import { badRequest, methodNotAllowed, notSupportedOn, unknownResource } from "../api-error.ts";
import type { Resource } from "../kinds/resource.ts";
import { create } from "../verbs/create.ts";
import { deletedStatus, remove } from "../verbs/delete.ts";
import { deleteOptions } from "../verbs/delete-options.ts";
import { list } from "../verbs/list.ts";
import { checkListNumbers, checkListOptions } from "../verbs/list-options.ts";
import { checkPatchType, isPatchType, patchObject } from "../verbs/patch.ts";
import { removeCollection } from "../verbs/remove-collection.ts";
import { replaceOrCreate } from "../verbs/replace-or-create.ts";
import { selectionOf } from "../verbs/selection.ts";
import type { Target } from "../verbs/target.ts";
import { watch } from "../verbs/watch.ts";
import { listAnswer, objectAnswer } from "./answers.ts";
import type { Exchange } from "./exchange.ts";
import { answer, checkAccepted, checkVersion, deleteBody, optionsOf, readObject, viewOf } from "./replies.ts";
import type { ResourcePath } from "./request-path.ts";
import { wantsWatch } from "./request-url.ts";
import { handleSubresource } from "./subresource-handler.ts";
import { WatchStream } from "./watch-stream.ts";

/** One handler for every verb on every resource. */
export async function handleResource(api: ApiContext, exchange: Exchange, path: ResourcePath): Promise<void> {
  const { group, version, plural, namespace, name, subresource } = path;
  const resource = api.registry.find(group, version, plural);
  // What serves custom resources knows no others, and has no words for them.
  if (!resource && api.registry.isCustomGroup(group)) return exchange.text404();
  if (!resource) throw unknownResource();
  const isElsewhere = resource.namespaced
    ? namespace === undefined &&
      (name !== undefined || (resource.isCustom && exchange.method !== "GET" && !path.isWatch))
    : namespace !== undefined;
  if (isElsewhere && resource.isCustom) return exchange.text404();
  if (isElsewhere) throw unknownResource();
  if (resource.deprecation && isHandled(exchange, resource, path)) exchange.warn(resource.deprecation);
  if (path.isWatch) return handleWatchPath(api, exchange, resource, path);
  if (name === undefined) return handleCollection(api, exchange, resource, path);
  const target: Target = { resource, namespace, name };
  if (subresource !== undefined) return handleSubresource(api, exchange, { ...target, subresource });
  return handleObject(api, exchange, target);
}

/** Whether there is anybody to answer it; who is refused before that is told nothing more. */
function isHandled(exchange: Exchange, resource: Resource, { name, subresource }: ResourcePath): boolean {
  const { method, contentType } = exchange;
  const isThere = subresource === undefined || resource.subresources.some((each) => each.name === subresource);
  const isRefused = name === undefined ? /^(PUT|PATCH)$/.test(method) : method === "POST" && !subresource;
  const isUnknown = method === "PATCH" && !isPatchType(resource, contentType);
  return isThere && !isRefused && !isUnknown;
}

/** The old path of a watch. A client that may watch gets this far with any method, so nothing else happens here. */
async function handleWatchPath(
  api: ApiContext,
  exchange: Exchange,
  resource: Resource,
  { namespace, name, subresource }: ResourcePath,
): Promise<void> {
  if (subresource !== undefined) throw resource.isCustom ? notSupportedOn("watch", resource) : unknownResource();
  // What serves custom resources goes by the path alone.
  if (!resource.isCustom && exchange.method !== "GET") throw methodNotAllowed();
  return watchObjects(api, exchange, resource, namespace, name);
}

async function handleCollection(
  api: ApiContext,
  exchange: Exchange,
  resource: Resource,
  path: ResourcePath,
): Promise<void> {
  const { namespace } = path;
  const isWhole = !resource.namespaced || namespace !== undefined;
  switch (exchange.method) {
    case "GET": {
      if (wantsWatch(exchange.query)) return watchObjects(api, exchange, resource, namespace);
      checkAccepted(exchange, resource, "list");
      checkListNumbers(exchange.query);
      const selection = selectionOf(resource, namespace, exchange.query);
      checkListOptions(exchange.query, false);
      const view = viewOf(exchange, resource, "list");
      const listed = await list(api, selection, exchange.query);
      return exchange.bytes(200, listAnswer(view, listed));
    }
    case "POST": {
      if (!isWhole) throw methodNotAllowed();
      return createObject(api, exchange, resource, namespace);
    }
    case "DELETE": {
      if (!isWhole || !resource.verbs.includes("deletecollection")) throw methodNotAllowed();
      const view = viewOf(exchange, resource);
      checkListNumbers(exchange.query);
      checkListOptions(exchange.query, wantsWatch(exchange.query));
      const selection = selectionOf(resource, namespace, exchange.query);
      const options = deleteOptions(exchange.query, await deleteBody(exchange));
      return exchange.bytes(200, listAnswer(view, await removeCollection(api, selection, exchange.query, options)));
    }
    case "PUT":
    case "PATCH":
      if (resource.isCustom) throw badRequest("name must be provided");
      throw methodNotAllowed();
    default:
      throw methodNotAllowed();
  }
}

const PODS_STAY =
  "child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them " +
  "or set propagationPolicy=Orphan to suppress this warning";

async function createObject(
  api: ApiContext,
  exchange: Exchange,
  resource: Resource,
  namespace: string | undefined,
): Promise<void> {
  const options = optionsOf(exchange, "CreateOptions");
  const body = await exchange.body(resource.kind);
  return answer(exchange, 201, resource, await create(api, { resource, namespace, body, options }));
}

async function handleObject(api: ApiContext, exchange: Exchange, target: Target): Promise<void> {
  const { resource } = target;
  switch (exchange.method) {
    case "GET":
      return readObject(api, exchange, target);
    case "POST": {
      // A name in the path does not keep a custom resource from being created.
      if (!resource.isCustom) throw methodNotAllowed();
      const { namespace } = target;
      return createObject(api, exchange, resource, namespace);
    }
    case "PUT": {
      const options = optionsOf(exchange, "UpdateOptions");
      const { code, written } = await replaceOrCreate(api, target, await exchange.body(resource.kind), options);
      return answer(exchange, code, resource, written);
    }
    case "PATCH": {
      checkPatchType(resource, exchange.contentType);
      const options = optionsOf(exchange, "PatchOptions");
      const patch = { contentType: exchange.contentType, text: await exchange.text() };
      return answer(exchange, 200, resource, await patchObject(api, target, patch, options));
    }
    case "DELETE": {
      const options = deleteOptions(exchange.query, await deleteBody(exchange));
      if (resource.kind === "Job" && !options.propagation) exchange.warn(PODS_STAY);
      const deleted = await remove(api, target, options);
      if (deleted.kind === "marked" || resource.isReturnedWhenDeleted) {
        return exchange.bytes(200, objectAnswer(viewOf(exchange, resource), deleted.entry));
      }
      return exchange.json(200, deletedStatus(resource, resource.codec.read(deleted.entry)));
    }
    default:
      throw methodNotAllowed();
  }
}

async function watchObjects(
  api: ApiContext,
  exchange: Exchange,
  resource: Resource,
  namespace: string | undefined,
  name?: string,
): Promise<void> {
  const query = new URLSearchParams(exchange.query);
  if (name !== undefined) query.set("fieldSelector", `metadata.name=${name}`);
  const stream = new WatchStream(exchange, viewOf(exchange, resource));
  checkListNumbers(query);
  checkListOptions(query, true);
  checkVersion(query);
  const selection = selectionOf(resource, namespace, query);
  await watch(api, selection, query, stream, exchange.signal);
  stream.end();
}
