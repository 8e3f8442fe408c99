import type { Draw } from "./draw.ts";
import { pathOf } from "./kind.ts";
import { listQuery } from "./queries.ts";
import type { Request } from "./request.ts";
import { objectPath, type Scene } from "./scene.ts";

/** GET of one object. */
export function readRequest(scene: Scene, name: string): Request {
  const { draw } = scene;
  const query = draw.weighted([
    [10, ""],
    [1, "?resourceVersion=0"],
    [1, "?resourceVersion=@{rv}"],
    [0.5, "?resourceVersion=x"],
    [0.5, "?pretty=true"],
    [0.5, "?includeObject=Object"],
  ]);
  return { method: "GET", path: `${objectPath(scene, name)}${query}`, ...acceptHeader(draw) };
}

/** GET of what the story made, here or in all namespaces. */
export function listRequest({ draw, kind }: Scene): Request {
  const path = draw.chance(0.8) ? pathOf(kind) : pathOf({ ...kind, isNamespaced: false });
  return { method: "GET", path: `${path}${listQuery(draw)}`, ...acceptHeader(draw) };
}

/** A watch of what the story did, from its beginning; the server ends it after a second. */
export function watchRequest({ draw, kind }: Scene): Request {
  const own = `labelSelector=${encodeURIComponent("story=")}@{ns}&timeoutSeconds=1&watch=`;
  const query = draw.weighted([
    [6, `${own}true&resourceVersion=@{start}`],
    [1, `${own}1&resourceVersion=@{start}&fieldSelector=metadata.name%3Da`],
    [1, `${own}true`],
    [1, `${own}true&resourceVersion=0`],
    [
      1,
      `labelSelector=${encodeURIComponent("color=red,story=")}@{ns}&timeoutSeconds=1&watch=true&resourceVersion=@{start}`,
    ],
    [0.5, `${own}true&resourceVersion=x`],
    [0.5, `${own}true&resourceVersion=@{start}&resourceVersionMatch=Exact`],
    [0.5, `${own}true&sendInitialEvents=true`],
    [0.5, `${own}true&resourceVersion=@{start}&continue=x`],
  ]);
  return {
    method: "GET",
    path: `${pathOf(kind)}?${query}`,
    isWatch: true,
    ...(draw.chance(0.2) && acceptHeader(draw)),
  };
}

function acceptHeader(draw: Draw): { headers?: Record<string, string> } {
  const table = "application/json;as=Table;v=v1;g=meta.k8s.io";
  const accept = draw.weighted([
    [12, undefined],
    [2, table],
    [1, `${table},application/json`],
    [1, "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io"],
    [1, "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io,application/json"],
    [0.5, "application/json;as=Table;v=v9;g=meta.k8s.io"],
    [0.5, "text/html"],
    [0.5, "*/*"],
    [0.3, "application/json;q=0.5, */*;q=0.1"],
    [0.3, ""],
  ]);
  return accept === undefined ? {} : { headers: { accept } };
}
