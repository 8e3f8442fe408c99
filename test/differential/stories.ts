import { createRequest } from "./creations.ts";
import { deletion } from "./deletions.ts";
import { pathOf } from "./kind.ts";
import { oddRequest } from "./odd-requests.ts";
import { patchRequest } from "./patches.ts";
import { listRequest, readRequest, watchRequest } from "./reads.ts";
import type { Request } from "./request.ts";
import type { Scene } from "./scene.ts";
import { subresourceRequest } from "./subresources.ts";
import { updateRequest } from "./updates.ts";

const STEPS: readonly (readonly [weight: number, (scene: Scene, name: string) => Request])[] = [
  [4, createRequest],
  [2, readRequest],
  [3, listRequest],
  [6, updateRequest],
  [8, patchRequest],
  [3, deletion],
  [4, subresourceRequest],
  [3, oddRequest],
];

/** Requests about objects of one kind: made, looked at, changed, taken away, in ways good, odd and bad. */
export function requestsAbout(scene: Scene, count: number): Request[] {
  const { draw, kind } = scene;
  const start: Request = {
    method: "GET",
    path: `${pathOf(kind)}?limit=1&labelSelector=story%3D@{ns}`,
  };
  const requests: Request[] = [start, createRequest(scene, "a", draw.chance(0.75) ? "good" : "spoiled")];
  const isWatched = draw.chance(0.15);
  while (requests.length < count - (isWatched ? 1 : 0)) {
    const name = draw.weighted([
      [10, "a"],
      [2, "b"],
      [1, "ghost"],
    ] as const);
    requests.push(draw.weighted(STEPS)(scene, name));
  }
  return isWatched ? [...requests, watchRequest(scene)] : requests;
}
