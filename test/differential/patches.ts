import { applyRequest } from "./applies.ts";
import { nameOf, spoiledFields } from "./kind.ts";
import { writeQuery } from "./queries.ts";
import type { Body, Json, Request } from "./request.ts";
import { objectPath, type Scene } from "./scene.ts";

const MERGE = "application/merge-patch+json";
const STRATEGIC = "application/strategic-merge-patch+json";
const JSON_PATCH = "application/json-patch+json";

/** PATCH of every type, with patches good, odd and bad. */
export function patchRequest(scene: Scene, name: string): Request {
  const { draw, kind } = scene;
  if (draw.chance(0.2)) return applyRequest(scene, name);
  const contentType = draw.weighted([
    [4, MERGE],
    [kind.isCustom ? 1 : 5, STRATEGIC],
    [4, JSON_PATCH],
    [0.3, "application/json"],
    [0.2, "application/nonsense"],
  ]);
  const body = contentType === JSON_PATCH ? jsonPatch(scene) : mergePatch(scene, contentType === STRATEGIC);
  return { method: "PATCH", path: `${objectPath(scene, name)}${writeQuery(draw)}`, contentType, body };
}

function mergePatch(scene: Scene, isStrategic: boolean): Body {
  const { draw, kind } = scene;
  const json = (value: unknown): Body => ({ kind: "json", value });
  return draw.weighted<() => Body>([
    [4, () => json({ metadata: { labels: { color: draw.of<unknown>(["red", null, "-x", 5]) } } })],
    [4, () => json(kind.good(draw))],
    [3, () => json(spoiledFields(kind, draw))],
    [2, () => json(oneField(scene, draw.of<unknown>([null, "x", 1, [], {}])))],
    [1, () => json({ metadata: oddMetadata(scene) })],
    [1, () => json({ status: { phase: "Odd", replicas: 3, size: 2 } })],
    [isStrategic ? 3 : 0, () => json(directives(scene))],
    [0.5, () => json(draw.of<unknown>([[], "x", 1, null, {}]))],
    [0.5, () => ({ kind: "text", text: draw.of(["{", "", "not json", "[}", "{} {}"]) })],
    [0.5, () => json({ kind: "Other" })],
    [0.5, () => json({ apiVersion: "v9" })],
    [0.5, () => json({ surprise: { deep: 1 } })],
  ])();
}

/** One field of a good object, at any depth, set to something else. */
function oneField({ draw, kind }: Scene, value: unknown): Json {
  const path: string[] = [];
  let at: unknown = kind.good(draw);
  while (typeof at === "object" && at !== null && !Array.isArray(at) && Object.keys(at).length > 0 && path.length < 4) {
    const key = draw.of(Object.keys(at));
    path.push(key);
    at = (at as Json)[key];
    if (draw.chance(0.3)) break;
  }
  return path.reduceRight<unknown>((inner, key) => ({ [key]: inner }), value) as Json;
}

function directives({ draw, kind }: Scene): Json {
  const inPod = (spec: Json) => (kind.plural === "pods" ? { spec } : { spec: { template: { spec } } });
  return draw.of<Json>([
    { metadata: { labels: { $patch: "replace", only: "this", story: "@{ns}" } } },
    { metadata: { $retainKeys: ["labels"], labels: { a: "b" } } },
    { metadata: { finalizers: ["example.com/hold"] } },
    { metadata: { "$deleteFromPrimitiveList/finalizers": ["example.com/hold"] } },
    { $patch: "delete" },
    { $patch: "nonsense" },
    inPod({ containers: [{ name: "main", image: "busybox:2" }] }),
    inPod({ containers: [{ name: "main", $patch: "delete" }] }),
    inPod({ containers: [{ name: "extra", image: "busybox" }], $setElementOrder: [] }),
    inPod({ containers: [{ image: "without-a-name" }] }),
    inPod({
      "$setElementOrder/containers": [{ name: "side" }, { name: "main" }],
      containers: [{ name: "main", image: "b" }],
    }),
    inPod({ tolerations: [{ key: "x", operator: "Exists" }] }),
    { spec: { ports: [{ port: 80, name: "renamed" }] } },
    { spec: { ports: [{ port: 80, $patch: "delete" }] } },
    { data: { $patch: "replace", z: "1" } },
  ]);
}

function oddMetadata({ draw, kind }: Scene): Json {
  return draw.of<Json>([
    { name: nameOf(kind, "other") },
    { name: null },
    { namespace: "elsewhere" },
    { resourceVersion: "1" },
    { resourceVersion: "@{rv}" },
    { resourceVersion: null },
    { uid: "x" },
    { creationTimestamp: null },
    { deletionTimestamp: "2020-01-01T00:00:00Z" },
    { generation: 99 },
    { finalizers: ["example.com/hold"] },
    { finalizers: null },
    { annotations: { a: 1 } },
    { labels: "x" },
    { ownerReferences: [{ apiVersion: "v1", kind: "Pod", name: "p", uid: "1" }] },
  ]);
}

function jsonPatch(scene: Scene): Body {
  const { draw } = scene;
  if (draw.chance(0.12)) return draw.of(BROKEN);
  const count = draw.between(1, 3);
  return { kind: "json", value: Array.from({ length: count }, () => operation(scene)) };
}

const BROKEN: readonly Body[] = [
  { kind: "json", value: {} },
  { kind: "json", value: [] },
  { kind: "json", value: [1] },
  { kind: "json", value: [{ op: "add" }] },
  { kind: "json", value: [{ op: "nonsense", path: "/metadata/labels/a", value: "x" }] },
  { kind: "json", value: [{ op: "add", path: "metadata", value: "x" }] },
  { kind: "json", value: [{ op: "replace", path: "", value: {} }] },
  { kind: "json", value: [{ op: "test", path: "/kind", value: "Other" }] },
  { kind: "text", text: "[{" },
  { kind: "text", text: "" },
];

function operation({ draw, kind }: Scene): Json {
  const label = `/metadata/labels/${draw.of(["color", "a~1b", "new"])}`;
  const field = `/${draw.of(Object.keys({ ...kind.good(draw), metadata: 1 }))}`;
  return draw.of<Json>([
    { op: "add", path: label, value: draw.of<unknown>(["x", "-x-", 1]) },
    { op: "replace", path: label, value: "y" },
    { op: "remove", path: label },
    { op: "test", path: label, value: "x" },
    { op: "copy", from: "/metadata/name", path: label },
    { op: "move", from: label, path: "/metadata/labels/moved" },
    { op: "replace", path: field, value: draw.of<unknown>([{}, null, "x", []]) },
    { op: "remove", path: field },
    { op: "test", path: "/metadata/name", value: draw.of(["a", "b"]) },
    { op: "add", path: "/metadata/finalizers", value: ["example.com/hold"] },
    { op: "add", path: "/metadata/finalizers/-", value: "example.com/more" },
    { op: "add", path: "/spec/containers/0/image", value: "busybox:3" },
    { op: "replace", path: "/spec/replicas", value: draw.of<unknown>([2, -1, "x"]) },
    { op: "add", path: "/spec/nowhere/deep", value: 1 },
  ]);
}
