import assert from "node:assert/strict";
import { aPod } from "@etcd-operator/testing/local/stored-objects.ts";
import type { Toleration } from "kubernetes-types/core/v1.d.ts";
import { describe, test } from "vitest";
import { toleratedMs } from "./start-taint-eviction.ts";

const away = { key: "away", effect: "NoExecute" };
const mine = { key: "mine", value: "yes", effect: "NoExecute" };

describe("a pod stays on a node that evicts", () => {
  test.each<[string, Toleration[], number | undefined]>([
    ["not at all without a toleration", [], 0],
    ["not at all when it tolerates only one of two taints", [{ key: "away", operator: "Exists" }], 0],
    ["as long as it likes when it tolerates everything", [{ operator: "Exists" }], undefined],
    [
      "for the shortest of the times that it tolerates",
      [
        { key: "away", operator: "Exists", tolerationSeconds: 300 },
        { key: "mine", value: "yes", tolerationSeconds: 20 },
      ],
      20_000,
    ],
    ["not at all when it tolerates for no time", [{ operator: "Exists", tolerationSeconds: -1 }], 0],
  ])("%s", (_, tolerations, expected) => {
    assert.equal(toleratedMs(aPod("a", { spec: { tolerations } }), [away, mine]), expected);
  });

  test("as long as it likes when the taints only keep others away", () => {
    assert.equal(toleratedMs(aPod("a"), [{ key: "a", effect: "NoSchedule" }]), undefined);
  });
});
