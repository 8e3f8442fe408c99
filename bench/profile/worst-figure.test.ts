import assert from "node:assert/strict";
import { describe, test } from "vitest";
import { figure } from "../figure.ts";
import { distanceOf, fileNameOf, worstOf } from "./worst-figure.ts";

const aFigure = (name: string, value: number, goal: number) =>
  figure({ name, unit: "", values: [value], limits: [1], goal });
const worst = (...figures: readonly ReturnType<typeof aFigure>[]) =>
  worstOf(figures.map((each) => ({ figure: each })))?.figure.name;

describe("the worst figure", () => {
  test("is the one whose ratio is the largest part of its goal, not the one with the largest ratio", () => {
    assert.equal(worst(aFigure("slow", 1.4, 1.5), aFigure("tight", 1.14, 1.15), aFigure("fine", 0.1, 1)), "tight");
  });

  test("is one that must not happen and did, before all others; one that did not happen is none", () => {
    assert.equal(worst(aFigure("far", 300, 1), aFigure("failed", 1, 0)), "failed");
    assert.equal(distanceOf(aFigure("failed", 0, 0)), 0);
  });

  test("is nothing where nothing was measured", () => {
    assert.equal(worst(), undefined);
  });
});

test("a file is called what its figure is", () => {
  assert.equal(fileNameOf({ name: "cluster: a leader's pod, gone (1,000/s)" }), "cluster-a-leader-s-pod-gone-1-000-s");
});
