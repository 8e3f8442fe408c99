import { objectOf } from "./kind.ts";
import { writeQuery } from "./queries.ts";
import type { Body, Json, Request } from "./request.ts";
import { objectPath, type Scene } from "./scene.ts";

/** A request behind the name of an object: status, scale, binding, eviction, token, or one that does not exist. */
export function subresourceRequest(scene: Scene, name: string): Request {
  const { draw, kind } = scene;
  const subresource =
    draw.chance(0.85) && kind.subresources.length > 0
      ? draw.of(kind.subresources)
      : draw.of(["status", "scale", "nothing"]);
  const path = objectPath(scene, name, subresource);
  switch (subresource) {
    case "scale":
      return scaleRequest(scene, name, path);
    case "token":
      return { method: "POST", path: `${path}${writeQuery(draw)}`, body: tokenBody(scene) };
    case "binding":
      return { method: "POST", path: `${path}${writeQuery(draw)}`, body: bindingBody(scene, name) };
    case "eviction":
      return { method: "POST", path: `${path}${writeQuery(draw)}`, body: evictionBody(scene, name) };
    default:
      return statusRequest(scene, name, path);
  }
}

function statusRequest(scene: Scene, name: string, path: string): Request {
  const { draw } = scene;
  const at = objectPath(scene, name);
  const otherwise = objectOf(scene.kind, name, {});
  const status = draw.of<unknown>([
    { phase: "Running", replicas: 1, size: 1 },
    {
      conditions: [
        { type: "Ready", status: "True", lastTransitionTime: "2024-01-01T00:00:00Z", reason: "R", message: "" },
      ],
    },
    { observedGeneration: 1 },
    { replicas: -1 },
    { surprise: 1 },
    {},
    null,
    "x",
  ]);
  const edits: Json = { status, ...(draw.chance(0.2) && { metadata: { labels: { color: "red" } }, spec: null }) };
  return draw.weighted<() => Request>([
    [2, () => ({ method: "GET", path })],
    [5, () => ({ method: "PUT", path: `${path}${writeQuery(draw)}`, body: { kind: "edited", at, edits, otherwise } })],
    [3, () => patchOf(path, edits)],
    [1, () => ({ ...patchOf(path, edits), contentType: "application/strategic-merge-patch+json" })],
    [0.5, () => ({ method: draw.of(["POST", "DELETE"] as const), path, body: { kind: "json", value: {} } })],
  ])();
}

function patchOf(path: string, edits: Json): Request {
  return { method: "PATCH", path, contentType: "application/merge-patch+json", body: { kind: "json", value: edits } };
}

function scaleRequest({ draw }: Scene, name: string, path: string): Request {
  const replicas = draw.of<unknown>([0, 2, 5, -1, "x", 1.5, null]);
  return draw.weighted<() => Request>([
    [3, () => ({ method: "GET", path })],
    [
      3,
      () => ({
        method: "PUT",
        path: `${path}${writeQuery(draw)}`,
        body: { kind: "edited", at: path, edits: { spec: { replicas } } },
      }),
    ],
    [3, () => patchOf(path, { spec: { replicas } })],
    [1, () => ({ method: "PUT", path, body: { kind: "json", value: { metadata: { name }, spec: { replicas: 1 } } } })],
    [1, () => ({ method: "PUT", path, body: { kind: "json", value: { spec: { replicas: 1 } } } })],
    [0.5, () => ({ method: draw.of(["POST", "DELETE"] as const), path })],
  ])();
}

function tokenBody({ draw }: Scene): Body {
  const request = (spec: unknown): Body => ({
    kind: "json",
    value: { apiVersion: "authentication.k8s.io/v1", kind: "TokenRequest", spec },
  });
  return draw.of<Body>([
    request({}),
    request({ expirationSeconds: 3600 }),
    request({ expirationSeconds: 10 }),
    request({ audiences: ["a", "b"], expirationSeconds: 7200 }),
    request({ expirationSeconds: 2 ** 33 }),
    request({ boundObjectRef: { kind: "Pod", apiVersion: "v1", name: "ghost" } }),
    request({ boundObjectRef: { kind: "Nothing", apiVersion: "v1", name: "ghost" } }),
    { kind: "json", value: {} },
  ]);
}

function bindingBody({ draw }: Scene, name: string): Body {
  return draw.of<Body>([
    {
      kind: "json",
      value: { apiVersion: "v1", kind: "Binding", metadata: { name }, target: { kind: "Node", name: "n" } },
    },
    { kind: "json", value: { apiVersion: "v1", kind: "Binding", metadata: { name }, target: { name: "n" } } },
    { kind: "json", value: { metadata: { name }, target: {} } },
    { kind: "json", value: { metadata: { name: "other" }, target: { name: "n" } } },
    { kind: "json", value: { target: { kind: "Pod", name: "n" } } },
    { kind: "json", value: {} },
  ]);
}

function evictionBody(scene: Scene, name: string): Body {
  const { draw, kind } = scene;
  const eviction = { ...objectOf(kind, name, {}), apiVersion: "policy/v1", kind: "Eviction" };
  return draw.of<Body>([
    { kind: "json", value: eviction },
    { kind: "json", value: { ...eviction, deleteOptions: { gracePeriodSeconds: 0 } } },
    { kind: "json", value: { ...eviction, deleteOptions: { dryRun: ["All"] } } },
    { kind: "json", value: { ...eviction, deleteOptions: { preconditions: { uid: "other" } } } },
    { kind: "json", value: { ...eviction, metadata: { name: "other" } } },
    { kind: "json", value: { ...eviction, apiVersion: "policy/v9" } },
    { kind: "json", value: {} },
  ]);
}
