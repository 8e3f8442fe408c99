import { pathOf } from "./kind.ts";
import type { Body, Request } from "./request.ts";
import { objectPath, type Scene } from "./scene.ts";

/** DELETE of an object, with options in the query or the body; sometimes of all that the story made. */
export function deletion(scene: Scene, name: string): Request {
  const { draw, kind } = scene;
  if (draw.chance(0.2) && kind.plural !== "namespaces") {
    const query = `?labelSelector=${encodeURIComponent("story=").concat("@{ns}")}${draw.of(["", "", "&dryRun=All", "&limit=1", "&fieldSelector=metadata.name%3Da"])}`;
    return { method: "DELETE", path: `${pathOf(kind)}${query}`, ...optionsBody(scene) };
  }
  const query = draw.weighted([
    [8, ""],
    [1, "?dryRun=All"],
    [1, "?gracePeriodSeconds=0"],
    [1, "?propagationPolicy=Foreground"],
    [1, "?propagationPolicy=Orphan"],
    [0.5, "?propagationPolicy=Never"],
    [0.5, "?gracePeriodSeconds=x"],
    [0.5, "?gracePeriodSeconds=-5"],
    [0.5, "?orphanDependents=true"],
    [0.5, "?orphanDependents=true&propagationPolicy=Background"],
    [0.5, "?dryRun=Nothing"],
  ]);
  return { method: "DELETE", path: `${objectPath(scene, name)}${query}`, ...optionsBody(scene) };
}

function optionsBody({ draw }: Scene): { body?: Body; contentType?: string } {
  if (draw.chance(0.5)) return {};
  const options = (rest: object): Body => ({
    kind: "json",
    value: { kind: "DeleteOptions", apiVersion: "v1", ...rest },
  });
  return draw.weighted<() => { body: Body; contentType?: string }>([
    [2, () => ({ body: options({}) })],
    [2, () => ({ body: options({ propagationPolicy: draw.of(["Background", "Foreground", "Orphan", "Never", ""]) }) })],
    [2, () => ({ body: options({ gracePeriodSeconds: draw.of<unknown>([0, 1, 30, -1, "x", 1.5]) }) })],
    [2, () => ({ body: options({ preconditions: { uid: draw.of(["@{uid}", "other"]) } }) })],
    [2, () => ({ body: options({ preconditions: { resourceVersion: draw.of(["@{rv}", "1"]) } }) })],
    [1, () => ({ body: options({ dryRun: draw.of<unknown>([["All"], ["x"], "All", []]) }) })],
    [1, () => ({ body: options({ orphanDependents: true, propagationPolicy: "Orphan" }) })],
    [1, () => ({ body: options({ surprise: 1 }) })],
    [1, () => ({ body: { kind: "json", value: {} } })],
    [1, () => ({ body: { kind: "json", value: { kind: "Other", apiVersion: "v1" } } })],
    [1, () => ({ body: { kind: "json", value: { kind: "DeleteOptions", apiVersion: "meta.k8s.io/v1" } } })],
    [1, () => ({ body: { kind: "text", text: draw.of(["{", "x", "[]"]) } })],
    [0.5, () => ({ body: options({}), contentType: "text/plain" })],
  ])();
}
