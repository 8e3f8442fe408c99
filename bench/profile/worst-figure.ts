import type { Figure } from "../figure.ts";

/** How far a figure is from its goal: 1 is just met. */
export function distanceOf({ ratio, goal, met }: Figure): number {
  if (goal > 0) return ratio / goal;
  return met ? 0 : Number.POSITIVE_INFINITY;
}

/** The one that is farthest from its goal, whether it is met or not; the first of those that are equally far. */
export function worstOf<Candidate extends { readonly figure: Figure }>(
  candidates: readonly Candidate[],
): Candidate | undefined {
  const farther = (one: Candidate, other: Candidate) => distanceOf(other.figure) - distanceOf(one.figure);
  return candidates.toSorted(farther)[0];
}

/** The name of a figure as that of a file. */
export function fileNameOf({ name }: Pick<Figure, "name">): string {
  return name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replaceAll(/^-|-$/g, "");
}
