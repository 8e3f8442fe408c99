import { describe, expect, test } from "vitest";
import { byManager } from "../managed-fields.ts";
import { needs, scopeOf } from "../scope.ts";
import type { ConformanceTarget } from "../target.ts";

const configMap = (name: string, data: object) => ({ apiVersion: "v1", kind: "ConfigMap", metadata: { name }, data });
const text = (object: object) => JSON.stringify(object);

export function kubectlApplyCases(target: () => ConformanceTarget): void {
  describe("kubectl apply", () => {
    const at = scopeOf(target);

    test("--server-side creates, changes, and tells of conflicts", async (context) => {
      needs(context, target(), "server-side apply");
      const ssa = ["apply", "--server-side", "-f", "-"];
      const applied = "configmap/ssa serverside-applied\n";
      expect(await at().kubectlOk(ssa, text(configMap("ssa", { a: "1", b: "1" })))).toBe(applied);
      expect(await at().kubectlOk(ssa, text(configMap("ssa", { a: "2" })))).toBe(applied);
      expect((await at().get("configmaps", "ssa")).data).toEqual({ a: "2" });
      await at().kubectlOk(["patch", "configmap", "ssa", "--type=merge", "-p", '{"data":{"a":"3"}}']);
      const { code, stderr } = await at().kubectl(ssa, text(configMap("ssa", { a: "2" })));
      expect(code).toBe(1);
      expect(stderr).toContain('Apply failed with 1 conflict: conflict with "kubectl-patch" using v1: .data.a\n');
      expect(await at().kubectlOk([...ssa, "--force-conflicts"], text(configMap("ssa", { a: "2" })))).toBe(applied);
    });

    test("--server-side after client-side takes over what that had, and keeps its annotation", async (context) => {
      needs(context, target(), "server-side apply");
      await at().kubectlOk(["apply", "-f", "-"], text(configMap("migrated", { a: "1", b: "1" })));
      await at().kubectlOk(["apply", "--server-side", "-f", "-"], text(configMap("migrated", { a: "2" })));
      const object = await at().get("configmaps", "migrated");
      expect(object.data).toEqual({ a: "2" });
      const annotation = "f:kubectl.kubernetes.io/last-applied-configuration";
      expect(byManager(object)).toEqual({
        "kubectl Apply": { "f:data": { "f:a": {} } },
        "kubectl-last-applied Apply": { "f:metadata": { "f:annotations": { [annotation]: {} } } },
      });
      const last = object.metadata?.annotations?.["kubectl.kubernetes.io/last-applied-configuration"] ?? "";
      expect(JSON.parse(last)).toMatchObject({ data: { a: "2" } });
    });

    test("diff --server-side shows what would change, and changes nothing", async (context) => {
      needs(context, target(), "server-side apply");
      await at().kubectlOk(["apply", "--server-side", "-f", "-"], text(configMap("diffed", { a: "1" })));
      const { code, stdout } = await at().kubectl(
        ["diff", "--server-side", "-f", "-"],
        text(configMap("diffed", { a: "2" })),
      );
      expect(code).toBe(1);
      expect(stdout).toContain('-  a: "1"\n+  a: "2"\n');
      expect((await at().get("configmaps", "diffed")).data).toEqual({ a: "1" });
    });

    test("get shows managed fields only when asked to", async (context) => {
      needs(context, target(), "server-side apply");
      await at().kubectlOk(["create", "configmap", "shown", "--from-literal=a=1"]);
      const get = ["get", "configmap", "shown", "-o", "yaml"];
      expect(await at().kubectlOk(get)).not.toContain("managedFields");
      expect(await at().kubectlOk([...get, "--show-managed-fields"])).toContain("manager: kubectl-create");
    });

    test("of a List is checked and carried out, item by item", async () => {
      const list = (...items: object[]) => text({ apiVersion: "v1", kind: "List", items });
      const items = [configMap("first", { a: "1" }), configMap("second", { a: "1" })];
      expect(await at().kubectlOk(["apply", "-f", "-"], list(...items))).toBe(
        "configmap/first created\nconfigmap/second created\n",
      );
      expect(await at().kubectlOk(["create", "-f", "-"], list(configMap("third", {})))).toBe(
        "configmap/third created\n",
      );
      const { code, stderr } = await at().kubectl(["apply", "-f", "-"], list({ ...items[0], dota: {} }));
      expect(code).toBe(1);
      expect(stderr).toContain('ValidationError(ConfigMap): unknown field "dota" in ');
    });
  });
}
