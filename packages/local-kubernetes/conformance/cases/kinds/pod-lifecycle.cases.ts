import { describe, expect, test } from "vitest";
import { expectCode, scopeOf } from "../../scope.ts";
import type { ConformanceTarget, KubeObject } from "../../target.ts";

// No scheduler has this name, so the pods of these cases stay unscheduled.
const schedulerName = "none";
const container = { name: "etcd", image: "quay.io/coreos/etcd:v3.5.16" };

export function podLifecycleCases(target: () => ConformanceTarget): void {
  describe("a pod", () => {
    const at = scopeOf(target);
    const create = (name: string, spec: object = {}) =>
      at().create("pods", { metadata: { name }, spec: { containers: [container], schedulerName, ...spec } });
    const bind = (name: string) =>
      at().rest("POST", at().path("pods", `${name}/binding`), {
        apiVersion: "v1",
        kind: "Binding",
        metadata: { name },
        target: { apiVersion: "v1", kind: "Node", name: "a-node" },
      });

    test("is bound to a node through its subresource, once", async () => {
      await create("bound");
      expect(expectCode(201, await bind("bound"))).toMatchObject({ kind: "Status", status: "Success" });
      const pod = await at().get("pods", "bound");
      expect(pod.spec).toMatchObject({ nodeName: "a-node" });
      expect(pod.status).toMatchObject({ conditions: [{ type: "PodScheduled", status: "True" }] });
      const again = await bind("bound");
      expect(again.code).toBe(409);
      expect(again.body.message).toContain('pod bound is already assigned to node "a-node"');
    });

    test("on no node goes at once when it is deleted", async () => {
      await create("unscheduled");
      expect(expectCode(200, await at().rest("DELETE", at().path("pods", "unscheduled")))).toMatchObject({
        kind: "Pod",
      });
      expect((await at().rest("GET", at().path("pods", "unscheduled"))).code).toBe(404);
    });

    test("on a node has its grace period, then is ended by a deletion without one", async () => {
      await create("graceful", { nodeName: "a-node", terminationGracePeriodSeconds: 7 });
      const path = at().path("pods", "graceful");
      const before = Date.now();
      const { metadata } = expectCode(200, await at().rest("DELETE", path));
      expect(metadata?.deletionGracePeriodSeconds).toBe(7);
      const seconds = (Date.parse(metadata?.deletionTimestamp ?? "") - before) / 1000;
      expect(Math.abs(seconds - 7)).toBeLessThan(3);
      await at().get("pods", "graceful");
      expectCode(200, await at().rest("DELETE", path, { gracePeriodSeconds: 0 }));
      expect((await at().rest("GET", path)).code).toBe(404);
    });

    test("takes the grace period that the deletion asks for", async () => {
      await create("hurried", { nodeName: "a-node" });
      const path = at().path("pods", "hurried");
      const { metadata } = expectCode(200, await at().rest("DELETE", `${path}?gracePeriodSeconds=2`));
      expect(metadata?.deletionGracePeriodSeconds).toBe(2);
      await at().rest("DELETE", `${path}?gracePeriodSeconds=0`);
    });

    test("on a node waits for its finalizers after its grace period", async () => {
      const metadata = { name: "held", finalizers: ["example.com/a"] };
      await at().create("pods", { metadata, spec: { containers: [container], schedulerName, nodeName: "a-node" } });
      const path = at().path("pods", "held");
      await at().rest("DELETE", path, { gracePeriodSeconds: 0 });
      const held = await at().get("pods", "held");
      expect(held.metadata).toMatchObject({ deletionTimestamp: expect.any(String), deletionGracePeriodSeconds: 0 });
      await at().rest("PATCH", path, { metadata: { finalizers: null } });
      expect((await at().rest("GET", path)).code).toBe(404);
    });

    test("keeps its spec but for the image and a few other fields", async () => {
      await create("fixed");
      const path = at().path("pods", "fixed");
      const contentType = "application/strategic-merge-patch+json";
      const image = { spec: { containers: [{ name: "etcd", image: "etcd:new" }] } };
      expectCode(200, await at().rest("PATCH", path, image, { contentType }));
      const { code, body } = await at().rest("PATCH", path, { spec: { restartPolicy: "Never" } }, { contentType });
      expect(code).toBe(422);
      expect(body.message).toContain("spec: Forbidden: pod updates may not change fields other than");
    });

    test("is found by the field selectors spec.nodeName and status.phase", async () => {
      const { namespace } = at();
      await create("on-node", { nodeName: "node-of-selector" });
      const find = async (selector: string) => {
        const query = `?fieldSelector=${encodeURIComponent(selector)}`;
        const { body } = await at().rest<{ items: KubeObject[] }>(
          "GET",
          `/api/v1/namespaces/${namespace}/pods${query}`,
        );
        return body.items.map(({ metadata }) => metadata?.name);
      };
      expect(await find("spec.nodeName=node-of-selector")).toEqual(["on-node"]);
      expect(await find("spec.nodeName=node-of-selector,status.phase=Running")).toEqual([]);
      await at().rest("PATCH", at().path("pods", "on-node/status"), { status: { phase: "Running" } });
      expect(await find("spec.nodeName=node-of-selector,status.phase=Running")).toEqual(["on-node"]);
      expect(await find("spec.nodeName=")).not.toContain("on-node");
    });

    const evict = (name: string) => {
      const eviction = { apiVersion: "policy/v1", kind: "Eviction", metadata: { name } };
      return at().rest("POST", at().path("pods", `${name}/eviction`), eviction);
    };

    test("that no disruption budget covers is evicted", async () => {
      await create("evicted");
      expect(expectCode(201, await evict("evicted"))).toMatchObject({ kind: "Status", status: "Success" });
      expect((await at().rest("GET", at().path("pods", "evicted"))).code).toBe(404);
    });

    test("that runs is not evicted while its disruption budget allows none", async () => {
      const labels = { app: "guarded" };
      await at().create("policy/v1/poddisruptionbudgets", {
        metadata: { name: "guarded" },
        spec: { maxUnavailable: 0, selector: { matchLabels: labels } },
      });
      const spec = { containers: [container], schedulerName, nodeName: "a-node" };
      await at().create("pods", { metadata: { name: "guarded", labels }, spec });
      const status = { phase: "Running", conditions: [{ type: "Ready", status: "True" }] };
      expectCode(200, await at().rest("PATCH", at().path("pods", "guarded/status"), { status }));
      const { code, body } = await evict("guarded");
      expect(code).toBe(429);
      expect(body.reason).toBe("TooManyRequests");
      expect(body.message).toContain("Cannot evict pod as it would violate the pod's disruption budget.");
      expect(body).toMatchObject({ details: { causes: [{ reason: "DisruptionBudget" }] } });
      await at().rest("DELETE", at().path("pods", "guarded"), { gracePeriodSeconds: 0 });
    });
  });
}
