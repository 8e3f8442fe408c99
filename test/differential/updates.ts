import { nameOf, objectOf, spoiledFields } from "./kind.ts";
import { writeQuery } from "./queries.ts";
import type { Body, Json, Request } from "./request.ts";
import { objectPath, type Scene } from "./scene.ts";

/** PUT: of what was read and changed, or of something that was never read. */
export function updateRequest(scene: Scene, name: string): Request {
  const { draw } = scene;
  return { method: "PUT", path: `${objectPath(scene, name)}${writeQuery(draw)}`, body: updateBody(scene, name) };
}

function updateBody(scene: Scene, name: string): Body {
  const { draw, kind } = scene;
  const at = objectPath(scene, name);
  const edited = (edits: Json): Body => ({ kind: "edited", at, edits, otherwise: objectOf(kind, name, {}) });
  const blind = (rest: Json, metadata: Json): Body => ({ kind: "json", value: objectOf(kind, name, rest, metadata) });
  return draw.weighted<() => Body>([
    [4, () => edited({ metadata: { labels: { color: draw.of(["red", "green"]) } } })],
    [4, () => edited(kind.good(draw))],
    [4, () => edited(spoiledFields(kind, draw))],
    [2, () => blind(kind.good(draw), {})],
    [2, () => blind(kind.good(draw), { resourceVersion: "@{rv}" })],
    [1, () => blind(kind.good(draw), { resourceVersion: draw.of(["1", "0", "x", "-1", ""]) })],
    [1, () => blind(kind.good(draw), { uid: draw.of(["@{uid}", "11111111-2222-3333-4444-555555555555"]) })],
    [1, () => edited({ metadata: oddMetadata(scene) })],
    [1, () => edited({ status: { phase: "Odd", replicas: 3, size: 2 } })],
    [1, () => edited({ kind: draw.of(["Other", null]) })],
    [1, () => edited({ apiVersion: draw.of(["v9", "x/v1", null]) })],
    [0.5, () => edited({})],
  ])();
}

function oddMetadata({ draw, kind }: Scene): Json {
  return draw.of<Json>([
    { name: nameOf(kind, "other") },
    { name: null },
    { namespace: "elsewhere" },
    { namespace: null },
    { resourceVersion: null },
    { resourceVersion: "1" },
    { uid: null },
    { uid: "x" },
    { creationTimestamp: null },
    { creationTimestamp: "2020-01-01T00:00:00Z" },
    { deletionTimestamp: "2020-01-01T00:00:00Z" },
    { generation: 99 },
    { generateName: "x-" },
    { labels: null },
    { labels: { color: "-x" } },
    { finalizers: ["example.com/hold"] },
    { finalizers: [] },
    { ownerReferences: [{ apiVersion: "v1", kind: "Pod", name: "p", uid: "" }] },
    { surprise: 1 },
  ]);
}
