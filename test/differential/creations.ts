import { type Kind, objectOf, pathOf, spoiledFields } from "./kind.ts";
import { writeQuery } from "./queries.ts";
import type { Json, Request } from "./request.ts";
import type { Scene } from "./scene.ts";
import { spoiled } from "./spoil.ts";

/** POST of an object: good, spoiled in one or two places, or with odd metadata. */
export function createRequest(scene: Scene, name: string, how?: "good" | "spoiled"): Request {
  const { draw, kind } = scene;
  const way =
    how ??
    draw.weighted([
      [3, "good"],
      [4, "spoiled"],
      [3, "odd metadata"],
    ] as const);
  const query = how === "good" ? "" : writeQuery(draw);
  return { method: "POST", path: `${pathOf(kind)}${query}`, body: { kind: "json", value: bodyOf(scene, name, way) } };
}

function bodyOf({ draw, kind }: Scene, name: string, way: "good" | "spoiled" | "odd metadata"): unknown {
  const good = kind.good(draw);
  switch (way) {
    case "good":
      return objectOf(kind, name, good, draw.chance(0.3) ? { labels: { color: draw.of(["red", "blue", "3"]) } } : {});
    case "spoiled": {
      const once = spoiledFields(kind, draw);
      return objectOf(kind, name, draw.chance(0.2) && !kind.isDeep ? (spoiled(draw, once) as Json) : once);
    }
    case "odd metadata":
      return oddObject({ draw, kind }, name, good);
  }
}

function oddObject({ draw, kind }: Scene, name: string, good: Json): unknown {
  const whole = objectOf(kind, name, good);
  const { name: _, ...rest } = whole.metadata as Json;
  const withMetadata = (metadata: Json) => ({ ...whole, metadata: { ...(whole.metadata as Json), ...metadata } });
  return draw.of<() => unknown>([
    () => ({ ...whole, metadata: { ...rest, generateName: `${generatedName(kind)}gen-` } }),
    () => ({ ...whole, metadata: rest }),
    () =>
      withMetadata({
        name: draw.of(["Upper", "under_score", "-a", "a".repeat(300), "a..b", "x y", "a/b", ".", "1a", "ä"]),
      }),
    () => withMetadata({ namespace: draw.of(["elsewhere", "", "@{ns}"]) }),
    () =>
      withMetadata({ labels: { story: "@{ns}", [draw.of(["-bad", "a/b/c", "/x", "ok.io/x", "a".repeat(64)])]: "x" } }),
    () =>
      withMetadata({
        labels: { story: "@{ns}", color: draw.of<unknown>(["-x-", "a b", "x".repeat(64), 5, null, true, ["a"]]) },
      }),
    () =>
      withMetadata({
        annotations: { [draw.of(["-bad", "Upper/x", "a/b/c", "ok"])]: draw.of<unknown>(["x", "", 1, null]) },
      }),
    () =>
      withMetadata({
        finalizers: draw.of<unknown>([["example.com/hold"], ["hold"], [""], "x", ["a/b/c"], ["orphan"]]),
      }),
    () => withMetadata({ resourceVersion: draw.of(["1", "x", "0", ""]) }),
    () => withMetadata({ uid: "11111111-2222-3333-4444-555555555555", generation: 7, selfLink: "/x" }),
    () => withMetadata({ creationTimestamp: draw.of<unknown>([null, "2020-01-01T00:00:00Z", "yesterday", 5]) }),
    () => withMetadata({ deletionTimestamp: "2020-01-01T00:00:00Z", deletionGracePeriodSeconds: 5 }),
    () => withMetadata({ ownerReferences: draw.of(OWNERS) }),
    () => withMetadata({ managedFields: draw.of<unknown>([[], null, [{ manager: "x" }], "x"]) }),
    () => withMetadata({ surprise: 1 }),
    () => ({ ...whole, metadata: draw.of<unknown>([null, [], "x", {}]) }),
    () => ({ ...whole, apiVersion: draw.of<unknown>(["v9", "nope/v1", "", "a/b/c", 1, null]) }),
    () => ({ ...whole, kind: draw.of<unknown>(["Other", "", 1, null]) }),
    () => ({ ...whole, status: draw.of<unknown>([{}, null, "x", { phase: "Odd" }, { replicas: -1 }]) }),
    () => ({ ...whole, surprise: 1, [kind.isCustom ? "other" : "specs"]: {} }),
  ])();
}

const OWNERS: readonly unknown[] = [
  [{ apiVersion: "v1", kind: "Pod", name: "p", uid: "1" }],
  [{ apiVersion: "v1", kind: "Pod", name: "p" }],
  [{ apiVersion: "", kind: "", name: "", uid: "" }],
  [{ apiVersion: "v1", kind: "Event", name: "p", uid: "1" }],
  [
    { apiVersion: "v1", kind: "Pod", name: "p", uid: "1", controller: true },
    { apiVersion: "v1", kind: "Pod", name: "q", uid: "2", controller: true },
  ],
  [{ apiVersion: "v1", kind: "Pod", name: "p", uid: "1", blockOwnerDeletion: true, controller: false }],
];

function generatedName({ isNamespaced }: Kind): string {
  return isNamespaced ? "" : "@{ns}-";
}
