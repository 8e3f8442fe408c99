import { describe, expect, test } from "vitest";
import { expectCode, scopeOf } from "../../scope.ts";
import type { ConformanceTarget } from "../../target.ts";

const container = { name: "etcd", image: "quay.io/coreos/etcd:v3.5.16" };
const REFUSAL = "Cannot evict pod as it would violate the pod's disruption budget.";

export function evictionCases(target: () => ConformanceTarget): void {
  describe("an eviction", () => {
    const at = scopeOf(target);

    const evict = (name: string, more: object = {}, named = name) => {
      const eviction = { apiVersion: "policy/v1", kind: "Eviction", metadata: { name: named }, ...more };
      return at().rest("POST", at().path("pods", `${name}/eviction`), eviction);
    };

    /** A pod on a node that does not exist, so that it stays until its deletion is forced. */
    async function running(name: string, isReady: boolean): Promise<void> {
      const spec = { containers: [container], schedulerName: "none", nodeName: "a-node" };
      await at().create("pods", { metadata: { name, labels: { app: name } }, spec });
      const conditions = [{ type: "Ready", status: isReady ? "True" : "False" }];
      const status = { phase: "Running", conditions };
      expectCode(200, await at().rest("PATCH", at().path("pods", `${name}/status`), { status }));
    }

    /** A budget as its controller would have judged it, had there been one. */
    async function budget(name: string, app: string, healthy: number, more: object = {}): Promise<void> {
      const spec = { minAvailable: 1, selector: { matchLabels: { app } }, ...more };
      await at().create("policy/v1/poddisruptionbudgets", { metadata: { name }, spec });
      const status = {
        ...{
          observedGeneration: 1,
          desiredHealthy: 1,
          currentHealthy: healthy,
          expectedPods: 1,
          disruptionsAllowed: 0,
        },
        conditions: [],
      };
      const path = at().path("policy/v1/poddisruptionbudgets", `${name}/status`);
      expectCode(200, await at().rest("PATCH", path, { status }));
    }

    test("for another pod than the one in the path is refused with 400", async () => {
      await running("named", true);
      const { code, body } = await evict("named", {}, "other");
      expect(code).toBe(400);
      expect(body.message).toBe("name in URL does not match name in Eviction object");
    });

    test("marks the pod, which says why it ends", async () => {
      await running("marked", true);
      expectCode(201, await evict("marked"));
      const pod = await at().get("pods", "marked");
      expect(pod.metadata?.deletionTimestamp).toBeDefined();
      const conditions = (pod.status as { conditions: { type: string }[] }).conditions;
      expect(conditions.find(({ type }) => type === "DisruptionTarget")).toMatchObject({
        status: "True",
        reason: "EvictionByEvictionAPI",
        message: "Eviction API: evicting",
      });
    });

    test("with the options of a deletion is one with these", async () => {
      await running("forced", true);
      expectCode(201, await evict("forced", { deleteOptions: { gracePeriodSeconds: 0 } }));
      expect((await at().rest("GET", at().path("pods", "forced"))).code).toBe(404);
    });

    test("that is only tried changes nothing", async () => {
      await running("tried", true);
      expectCode(201, await evict("tried", { deleteOptions: { dryRun: ["All"] } }));
      expect((await at().get("pods", "tried")).metadata?.deletionTimestamp).toBeUndefined();
    });

    test("is refused with 429, and the numbers, when the budget allows none", async () => {
      await running("guarded", true);
      await budget("guard", "guarded", 1);
      const { code, body } = await evict("guarded");
      expect(code).toBe(429);
      expect(body).toMatchObject({ reason: "TooManyRequests", message: REFUSAL });
      const message = "The disruption budget guard needs 1 healthy pods and has 1 currently";
      expect(body.details).toEqual({ causes: [{ reason: "DisruptionBudget", message }] });
    });

    test("of a pod that is not ready is allowed where the budget says so", async () => {
      await running("sick", false);
      await budget("lenient", "sick", 0, { unhealthyPodEvictionPolicy: "AlwaysAllow" });
      expectCode(201, await evict("sick"));
    });

    test("of a pod that is not ready is refused while too few others are", async () => {
      await running("weak", false);
      await budget("strict", "weak", 0);
      const { code, body } = await evict("weak");
      expect(code).toBe(429);
      expect(body.message).toBe(REFUSAL);
    });

    test("of a pod with two budgets is an error, without a reason", async () => {
      await running("twice", true);
      await budget("one", "twice", 1);
      await budget("two", "twice", 1);
      const { code, body } = await evict("twice");
      expect(code).toBe(500);
      expect(body.message).toBe(
        "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.",
      );
      expect(body.reason).toBeUndefined();
    });
  });
}
