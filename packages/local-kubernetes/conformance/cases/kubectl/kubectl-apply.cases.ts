import { describe, expect, test } from "vitest";
import { scopeOf } from "../../scope.ts";
import type { ConformanceTarget } from "../../target.ts";

const configMap = (name: string, data: object) => ({ apiVersion: "v1", kind: "ConfigMap", metadata: { name }, data });
const text = (object: object) => JSON.stringify(object);

export function kubectlApplyCases(target: () => ConformanceTarget): void {
  describe("kubectl apply", () => {
    const at = scopeOf(target);

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
