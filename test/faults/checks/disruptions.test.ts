import assert from "node:assert/strict";
import type { Pod } from "kubernetes-types/core/v1.d.ts";
import { describe, test } from "vitest";
import { oneTooMany, podTakenDown, type VoterUp } from "./disruptions.ts";

const PODS = "/api/v1/namespaces/tests/pods";

describe("taking a voter down", () => {
  test("is right while all others are up, and of one that is down at any time", () => {
    assert.equal(oneTooMany("a", voters("a", "b", "c")), undefined);
    assert.equal(oneTooMany("b", voters("a", "-b", "-c")), undefined);
  });

  test("is right for a member without a vote", () => {
    assert.equal(oneTooMany("d", voters("a", "b", "-c")), undefined);
  });

  test("is one too many while another is down, or has not come up yet (opensearch-k8s-operator#1471)", () => {
    assert.equal(oneTooMany("a", voters("a", "-b", "c")), "a was taken down while b was down");
    assert.equal(
      oneTooMany("a", [...voters("a"), { pod: "", isUp: false }]),
      "a was taken down while a new member was down",
    );
  });

  function voters(...names: readonly string[]): readonly VoterUp[] {
    return names.map((name) => ({ pod: name.replace("-", ""), isUp: !name.startsWith("-") }));
  }
});

describe("what takes a pod down", () => {
  const pods: readonly Pod[] = [{ metadata: { name: "a" }, spec: { containers: [{ name: "etcd", image: "etcd:1" }] } }];

  test.each<[string, string, string, object | undefined]>([
    ["its deletion", "DELETE", `${PODS}/a`, undefined],
    [
      "another image",
      "PATCH",
      `${PODS}/a?fieldManager=x`,
      { spec: { containers: [{ name: "etcd", image: "etcd:2" }] } },
    ],
  ])("is %s", (_, method, path, body) => {
    assert.equal(takenDown(method, path, body), "a");
  });

  test.each<[string, string, string, object | undefined]>([
    ["the same image again", "PATCH", `${PODS}/a`, { spec: { containers: [{ name: "etcd", image: "etcd:1" }] } }],
    ["a note on it", "PATCH", `${PODS}/a`, { metadata: { annotations: {} } }],
    ["its status", "PATCH", `${PODS}/a/status`, { status: {} }],
    ["a question", "GET", `${PODS}/a`, undefined],
    ["a rehearsal", "DELETE", `${PODS}/a?dryRun=All`, undefined],
    ["the deletion of another", "DELETE", `${PODS}/b`, undefined],
  ])("is not %s", (_, method, path, body) => {
    assert.equal(takenDown(method, path, body), undefined);
  });

  function takenDown(method: string, path: string, body: object | undefined): string | undefined {
    return podTakenDown({ method, path, headers: {}, body: body && JSON.stringify(body), signal: undefined }, pods);
  }
});
