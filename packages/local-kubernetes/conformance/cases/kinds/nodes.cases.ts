import { describe, expect, test } from "vitest";
import { expectCode, scopeOf } from "../../scope.ts";
import type { ConformanceTarget, KubeObject } from "../../target.ts";

export function nodeCases(target: () => ConformanceTarget): void {
  describe("a node", () => {
    const at = scopeOf(target);
    // Nodes have no namespace; the name of ours tells them apart.
    const named = (name: string) => `${name}-${at().namespace}`;

    async function create(name: string, spec: object = {}): Promise<KubeObject> {
      const node = { apiVersion: "v1", kind: "Node", metadata: { name: named(name) }, spec };
      return expectCode(201, await at().rest("POST", "/api/v1/nodes", node));
    }
    const remove = (name: string) => at().rest("DELETE", `/api/v1/nodes/${named(name)}`);
    const get = async (name: string) => expectCode(200, await at().rest("GET", `/api/v1/nodes/${named(name)}`));

    test("is tainted until a controller has seen that it is ready", async () => {
      const node = await create("new");
      expect(node.spec).toMatchObject({ taints: [{ key: "node.kubernetes.io/not-ready", effect: "NoSchedule" }] });
      await remove("new");
    });

    test("keeps the taints that it comes with", async () => {
      const mine = { key: "mine", value: "yes", effect: "NoExecute" };
      const { spec } = await create("tainted", { taints: [mine] });
      expect(spec).toMatchObject({ taints: [mine, { key: "node.kubernetes.io/not-ready" }] });
      await remove("tainted");
    });

    test("is cordoned and uncordoned by kubectl", async () => {
      await create("cordoned");
      expect(await at().kubectlOk(["cordon", named("cordoned")])).toBe(`node/${named("cordoned")} cordoned\n`);
      expect((await get("cordoned")).spec).toMatchObject({ unschedulable: true });
      expect(await at().kubectlOk(["cordon", named("cordoned")])).toBe(`node/${named("cordoned")} already cordoned\n`);
      expect(await at().kubectlOk(["uncordon", named("cordoned")])).toBe(`node/${named("cordoned")} uncordoned\n`);
      expect((await get("cordoned")).spec).not.toHaveProperty("unschedulable");
      await remove("cordoned");
    });

    test("is tainted and untainted by kubectl", async () => {
      await create("kubectl");
      const node = named("kubectl");
      expect(await at().kubectlOk(["taint", "nodes", node, "a=b:NoExecute"])).toBe(`node/${node} tainted\n`);
      expect((await get("kubectl")).spec).toMatchObject({
        taints: expect.arrayContaining([expect.objectContaining({ key: "a", value: "b", effect: "NoExecute" })]),
      });
      expect(await at().kubectlOk(["taint", "nodes", node, "a:NoExecute-"])).toBe(`node/${node} untainted\n`);
      await remove("kubectl");
    });

    test("without pods is drained at once", async () => {
      await create("empty");
      const said = await at().kubectlOk(["drain", named("empty"), "--ignore-daemonsets", "--delete-emptydir-data"]);
      expect(said).toBe(`node/${named("empty")} cordoned\nnode/${named("empty")} drained\n`);
      await remove("empty");
    });

    test("with a pod that has no controller is not drained without force", async () => {
      await create("kept");
      const spec = { containers: [{ name: "c", image: "c" }], nodeName: named("kept") };
      await at().create("pods", { metadata: { name: "lonely" }, spec });
      const drain = ["drain", named("kept"), "--timeout=20s"];
      const refused = await at().kubectl(drain);
      expect(refused.code).toBe(1);
      expect(refused.stderr).toContain(
        "cannot delete cannot delete Pods that declare no controller (use --force to override)",
      );
      await at().rest("DELETE", at().path("pods", "lonely"), { gracePeriodSeconds: 0 });
      await remove("kept");
    });
  });
}
