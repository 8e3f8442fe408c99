import { objectOf, spoiledFields } from "./kind.ts";
import type { Body, Json, Request } from "./request.ts";
import { objectPath, type Scene } from "./scene.ts";

/** Server-side apply by one of two managers, who may disagree. */
export function applyRequest(scene: Scene, name: string): Request {
  const { draw } = scene;
  const manager = draw.of(["one", "two"]);
  const query = draw.weighted([
    [8, `?fieldManager=${manager}`],
    [4, `?fieldManager=${manager}&force=true`],
    [1, `?fieldManager=${manager}&dryRun=All`],
    [1, `?fieldManager=${manager}&fieldValidation=Strict`],
    [0.5, ""],
    [0.5, `?fieldManager=${manager}&force=maybe`],
  ]);
  const contentType = "application/apply-patch+yaml";
  return { method: "PATCH", path: `${objectPath(scene, name)}${query}`, contentType, body: applyBody(scene, name) };
}

function applyBody({ draw, kind }: Scene, name: string): Body {
  const object = (rest: Json, metadata: Json = {}): Body => ({
    kind: "json",
    value: objectOf(kind, name, rest, metadata),
  });
  return draw.weighted<() => Body>([
    [6, () => object(kind.good(draw))],
    [3, () => object({}, { labels: { color: draw.of(["red", "blue"]) } })],
    [1, () => object(spoiledFields(kind, draw))],
    [0.5, () => object({}, { resourceVersion: "1" })],
    [0.5, () => object({}, { managedFields: [] })],
    [0.5, () => ({ kind: "text", text: draw.of(["{", "a: [", "", "[]", "x"]) })],
    [0.5, () => ({ kind: "json", value: { ...objectOf(kind, name, {}), kind: "Other" } })],
  ])();
}
