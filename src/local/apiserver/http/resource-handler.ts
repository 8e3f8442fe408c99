import type { ApiContext } from "../api-context.ts";
import { methodNotAllowed, unknownResource } from "../api-error.ts";
import type { Resource } from "../kinds/resource.ts";
import { create } from "../verbs/create.ts";
import { deletedStatus, deleteOptions, remove } from "../verbs/delete.ts";
import { list } from "../verbs/list.ts";
import { patchObject } from "../verbs/patch.ts";
import { removeCollection } from "../verbs/remove-collection.ts";
import { selectionOf } from "../verbs/selection.ts";
import type { Target } from "../verbs/target.ts";
import { replace } from "../verbs/update.ts";
import { watch } from "../verbs/watch.ts";
import { listAnswer, objectAnswer } from "./answers.ts";
import type { Exchange } from "./exchange.ts";
import { answer, deleteBody, optionsOf, readObject, viewOf } from "./replies.ts";
import type { ResourcePath } from "./request-path.ts";
import { handleSubresource } from "./subresource-handler.ts";
import { WatchStream } from "./watch-stream.ts";

/** One handler for every verb on every resource. */
export async function handleResource(api: ApiContext, exchange: Exchange, path: ResourcePath): Promise<void> {
  const { group, version, plural, namespace, name, subresource } = path;
  const resource = api.registry.find(group, version, plural);
  if (!resource) throw unknownResource();
  if (namespace !== undefined && !resource.namespaced) throw unknownResource();
  if (name === undefined) return handleCollection(api, exchange, resource, path);
  if (resource.namespaced && namespace === undefined) throw unknownResource();
  const target: Target = { resource, namespace, name };
  if (subresource !== undefined) return handleSubresource(api, exchange, { ...target, subresource });
  if (path.isWatch) return watchObjects(api, exchange, resource, namespace, name);
  return handleObject(api, exchange, target);
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
      const flag = exchange.query.get("watch");
      if (path.isWatch || flag === "true" || flag === "1") return watchObjects(api, exchange, resource, namespace);
      const view = viewOf(exchange, resource);
      const listed = await list(api, selectionOf(resource, namespace, exchange.query), exchange.query);
      return exchange.bytes(200, listAnswer(view, listed));
    }
    case "POST": {
      if (!isWhole) throw methodNotAllowed();
      const options = optionsOf(exchange, "CreateOptions");
      const body = await exchange.body(resource.kind);
      return answer(exchange, 201, resource, await create(api, { resource, namespace, body, options }));
    }
    case "DELETE": {
      if (!isWhole || !resource.verbs.includes("deletecollection")) throw methodNotAllowed();
      const options = deleteOptions(exchange.query, await deleteBody(exchange));
      const listed = await removeCollection(api, selectionOf(resource, namespace, exchange.query), options);
      return exchange.bytes(200, listAnswer(viewOf(exchange, resource), listed));
    }
    default:
      throw methodNotAllowed();
  }
}

async function handleObject(api: ApiContext, exchange: Exchange, target: Target): Promise<void> {
  const { resource } = target;
  switch (exchange.method) {
    case "GET":
      return readObject(api, exchange, target);
    case "PUT": {
      const options = optionsOf(exchange, "UpdateOptions");
      return answer(exchange, 200, resource, await replace(api, target, await exchange.body(resource.kind), options));
    }
    case "PATCH": {
      const options = optionsOf(exchange, "PatchOptions");
      const patch = { contentType: exchange.contentType, text: await exchange.text() };
      return answer(exchange, 200, resource, await patchObject(api, target, patch, options));
    }
    case "DELETE": {
      const deleted = await remove(api, target, deleteOptions(exchange.query, await deleteBody(exchange)));
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
  const selection = selectionOf(resource, namespace, query);
  await watch(api, selection, query, stream, exchange.signal);
  exchange.response.end();
}
