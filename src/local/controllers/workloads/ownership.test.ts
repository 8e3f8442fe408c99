import assert from "node:assert/strict";
import { test } from "vitest";
import { aPod, stored } from "../../../../test/support/local/stored-objects.ts";
import { controllerReference, ownershipOf } from "./ownership.ts";

const owner = stored("owner", {});
const selector = { matchLabels: { app: "x" } };
const fits = { labels: { app: "x" } };

const owned = (name: string, labels: Record<string, string>, by = owner) => {
  const pod = aPod(name, { labels });
  return { ...pod, metadata: { ...pod.metadata, ownerReferences: [controllerReference(by)] } };
};
const names = (pods: readonly ReturnType<typeof aPod>[]) => pods.map(({ metadata }) => metadata.name);

test("what fits and has nobody is taken in, what does not fit any more is let go, what is another's stays so", () => {
  const pods = [
    owned("ours", fits.labels),
    owned("changed", { app: "y" }),
    owned("theirs", fits.labels, stored("other", {})),
    aPod("orphan", fits),
    aPod("going", { ...fits, isGoing: true }),
    aPod("stranger"),
  ];
  const { owned: ours, toAdopt, toRelease } = ownershipOf(owner, selector, pods);
  assert.deepEqual([names(ours), names(toAdopt), names(toRelease)], [["ours"], ["orphan"], ["changed"]]);
});

test("an owner that is being deleted takes in and lets go nothing", () => {
  const going = stored("owner", { metadata: { deletionTimestamp: "2030-01-01T00:00:00Z" } as object });
  const { toAdopt, toRelease } = ownershipOf(going, selector, [aPod("orphan", fits), owned("changed", {})]);
  assert.deepEqual([toAdopt, toRelease], [[], []]);
});
