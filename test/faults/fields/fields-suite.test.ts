import assert from "node:assert/strict";
import { describe, test } from "vitest";
import type { FieldValue } from "./field-value.ts";
import { fieldsSuite } from "./fields-suite.ts";
import { playsOf } from "./plays.ts";
import { overlaps, stepsInTrouble, stepsOnRunning, type Trouble } from "./step.ts";

const value = (name: string, fate: FieldValue["fate"]): FieldValue => ({ name, value: name, fate });
const trouble: Trouble = { name: "t", path: "version", value: "3.5.99", says: /image/ };
const told = (steps: ReturnType<typeof stepsOnRunning>) =>
  steps.map((step) => (step.kind === "set" ? step.value.name : step.kind));

describe("the edits of a property", () => {
  const values = [
    value("bad", "refused"),
    value("good", "works"),
    value("better", "works"),
    value("stuck", "reported"),
  ];

  test("on what runs: all that work in a row, and back; what does not, each by itself, and back", () => {
    assert.deepEqual(told(stepsOnRunning(values)), ["bad", "good", "better", "back", "stuck", "back"]);
  });

  test("in trouble: good ones are taken before it ends, and of two troubles one ends after the other", () => {
    const steps = told(stepsInTrouble(values, trouble));
    assert.deepEqual(steps, ["break", "bad", "good", "mend", "back", "stuck", "break", "back", "mend"]);
  });

  test("a trouble of the same field, or of a block around it, is no trouble beside it", () => {
    assert.ok(overlaps("pod.labels", "pod.labels{}") && overlaps("pod", "pod.labels") && overlaps("size", "size"));
    assert.ok(!overlaps("pod.labels", "pod.labelsOfOthers") && !overlaps("pod.a", "pod.b"));
  });
});

describe("the plans", () => {
  test("a seed always makes the same, another seed others, and a name stands for one", () => {
    const steps = (seed: number) => playsOf(seed).map(({ name, steps: list }) => `${name} ${JSON.stringify(list)}`);
    assert.deepEqual(steps(7), steps(7));
    assert.notDeepEqual(steps(7), steps(8));
    const names = playsOf(7).map(({ name }) => name);
    assert.equal(new Set(names).size, names.length);
  });

  test("make more than 500 edits of each kind of object there is, and of clusters alone", () => {
    const count = (kind: string) =>
      playsOf(1)
        .filter(({ name }) => name.startsWith(`${kind}.`))
        .reduce((sum, { steps }) => sum + steps.length, 0);
    assert.ok(count("EtcdCluster") >= 500, `${count("EtcdCluster")} of clusters`);
    assert.ok(count("EtcdBackup") >= 300, `${count("EtcdBackup")} of backups`);
    assert.ok(count("EtcdRestore") >= 300, `${count("EtcdRestore")} of restores`);
  });

  test("a plan that does not exist is a failure", async () => {
    const plan = { suite: "fields", name: "EtcdCluster.colour/running", seed: 1, workload: "EtcdCluster" };
    const results: string[] = [];
    await fieldsSuite.run([plan], ({ failures }) => results.push(...failures), new AbortController().signal);
    assert.deepEqual(results, ["there is no plan EtcdCluster.colour/running"]);
  });
});
