import { describe, expect, test } from "vitest";
import { needsControllers, scopeOf } from "../../scope.ts";
import type { ConformanceTarget } from "../../target.ts";

const configMap = (name: string, data: Record<string, string>) =>
  JSON.stringify({ apiVersion: "v1", kind: "ConfigMap", metadata: { name }, data });

export function kubectlWriteCases(target: () => ConformanceTarget): void {
  describe("kubectl writes", () => {
    const at = scopeOf(target);
    const kubectl = (args: readonly string[], input?: string) => at().kubectlOk(args, input);
    const dataOf = async (name: string) => (await at().get("configmaps", name)).data;

    test("create -f creates, and a second time says that it exists", async () => {
      expect(await kubectl(["create", "-f", "-"], configMap("created", { a: "1" }))).toBe(
        "configmap/created created\n",
      );
      const { code, stderr } = await at().kubectl(["create", "-f", "-"], configMap("created", {}));
      expect(code).toBe(1);
      expect(stderr).toContain(
        'Error from server (AlreadyExists): error when creating "STDIN": configmaps "created" already exists',
      );
    });

    test("create -f with generateName prints the name that was made", async () => {
      const object = { apiVersion: "v1", kind: "ConfigMap", metadata: { generateName: "made-" } };
      expect(await kubectl(["create", "-f", "-"], JSON.stringify(object))).toMatch(
        /^configmap\/made-[a-z0-9]{5} created\n$/,
      );
    });

    test("create makes a ConfigMap and a Secret from literals", async () => {
      expect(await kubectl(["create", "configmap", "literal", "--from-literal=a=1"])).toBe(
        "configmap/literal created\n",
      );
      expect(await kubectl(["create", "secret", "generic", "literal", "--from-literal=a=1"])).toBe(
        "secret/literal created\n",
      );
      expect((await at().get("secrets", "literal")).data).toEqual({ a: "MQ==" });
    });

    test("apply creates, changes, and leaves alone what is unchanged", async () => {
      const apply = (data: Record<string, string>) => kubectl(["apply", "-f", "-"], configMap("applied", data));
      expect(await apply({ a: "1" })).toBe("configmap/applied created\n");
      expect(await apply({ a: "1" })).toBe("configmap/applied unchanged\n");
      expect(await apply({ a: "2" })).toBe("configmap/applied configured\n");
      expect(await dataOf("applied")).toEqual({ a: "2" });
    });

    test("apply removes what it applied before and no longer names, and keeps what others set", async () => {
      await kubectl(["apply", "-f", "-"], configMap("three-way", { a: "1", b: "2" }));
      await at().rest("PATCH", at().path("configmaps", "three-way"), { data: { c: "3" } });
      await kubectl(["apply", "-f", "-"], configMap("three-way", { a: "1" }));
      expect(await dataOf("three-way")).toEqual({ a: "1", c: "3" });
    });

    test("apply merges the containers of a Deployment by name", async () => {
      const deployment = (image: string, ...names: string[]) =>
        JSON.stringify({
          apiVersion: "apps/v1",
          kind: "Deployment",
          metadata: { name: "merged" },
          spec: {
            replicas: 0,
            selector: { matchLabels: { app: "a" } },
            template: {
              metadata: { labels: { app: "a" } },
              spec: { containers: names.map((name) => ({ name, image })) },
            },
          },
        });
      await kubectl(["apply", "-f", "-"], deployment("a:1", "one", "two"));
      await kubectl(["apply", "-f", "-"], deployment("a:2", "two"));
      const printed = await kubectl([
        "get",
        "deploy",
        "merged",
        "-o",
        "jsonpath={.spec.template.spec.containers[*].image}",
      ]);
      expect(printed).toBe("a:2");
    });

    test("apply --dry-run=server changes nothing", async () => {
      const args = ["apply", "--dry-run=server", "-f", "-"];
      expect(await kubectl(args, configMap("dry", { a: "1" }))).toBe("configmap/dry created (server dry run)\n");
      expect((await at().rest("GET", at().path("configmaps", "dry"))).code).toBe(404);
    });

    test("diff shows what apply would change", async () => {
      await kubectl(["apply", "-f", "-"], configMap("different", { a: "before" }));
      const { code, stdout } = await at().kubectl(["diff", "-f", "-"], configMap("different", { a: "after" }));
      expect(code).toBe(1);
      expect(stdout).toContain("-  a: before");
      expect(stdout).toContain("+  a: after");
    });

    test("replace replaces", async () => {
      await at().create("configmaps", { metadata: { name: "replaced" }, data: { a: "1", b: "2" } });
      expect(await kubectl(["replace", "-f", "-"], configMap("replaced", { c: "3" }))).toBe(
        "configmap/replaced replaced\n",
      );
      expect(await dataOf("replaced")).toEqual({ c: "3" });
    });

    test.each([
      ["strategic", '{"data":{"a":"2"}}'],
      ["merge", '{"data":{"a":"2"}}'],
      ["json", '[{"op":"replace","path":"/data/a","value":"2"}]'],
    ])("patch --type=%s patches", async (type, patch) => {
      const name = `patched-${type}`;
      await at().create("configmaps", { metadata: { name }, data: { a: "1" } });
      expect(await kubectl(["patch", "cm", name, `--type=${type}`, "-p", patch])).toBe(`configmap/${name} patched\n`);
      expect(await dataOf(name)).toEqual({ a: "2" });
    });

    test("label and annotate add, refuse to overwrite, and remove", async () => {
      await at().create("configmaps", { metadata: { name: "labelled" } });
      expect(await kubectl(["label", "cm", "labelled", "app=a"])).toBe("configmap/labelled labeled\n");
      expect((await at().kubectl(["label", "cm", "labelled", "app=b"])).stderr).toContain(
        "'app' already has a value (a)",
      );
      await kubectl(["label", "cm", "labelled", "app=b", "--overwrite"]);
      await kubectl(["annotate", "cm", "labelled", "example.com/note=some text"]);
      expect((await at().get("configmaps", "labelled")).metadata).toMatchObject({
        labels: { app: "b" },
        annotations: { "example.com/note": "some text" },
      });
      expect(await kubectl(["label", "cm", "labelled", "app-"])).toBe("configmap/labelled unlabeled\n");
    });

    test("scale changes the replicas of a Deployment", async () => {
      const template = { metadata: { labels: { app: "s" } }, spec: { containers: [{ name: "a", image: "a" }] } };
      await at().create("apps/v1/deployments", {
        metadata: { name: "scaled" },
        spec: { replicas: 0, selector: { matchLabels: { app: "s" } }, template },
      });
      expect(await kubectl(["scale", "deploy", "scaled", "--replicas=2"])).toBe("deployment.apps/scaled scaled\n");
      expect((await at().get("apps/v1/deployments", "scaled")).spec).toMatchObject({ replicas: 2 });
      await kubectl(["scale", "deploy", "scaled", "--replicas=0"]);
    });

    test("wait sees a condition and a field that come later", async () => {
      const spec = { schedulerName: "none", containers: [{ name: "a", image: "a" }] };
      await at().create("pods", { metadata: { name: "awaited" }, spec });
      const ready = at().kubectl(["wait", "pod/awaited", "--for=condition=Ready", "--timeout=20s"]);
      const running = at().kubectl(["wait", "pod/awaited", "--for=jsonpath={.status.phase}=Running", "--timeout=20s"]);
      const status = { phase: "Running", conditions: [{ type: "Ready", status: "True" }] };
      await at().rest("PATCH", at().path("pods", "awaited/status"), { status });
      expect((await ready).stdout).toBe("pod/awaited condition met\n");
      expect((await running).stdout).toBe("pod/awaited condition met\n");
    });

    test("wait --for=delete sees the end", async () => {
      await at().create("configmaps", { metadata: { name: "ending" } });
      const waiting = at().kubectl(["wait", "cm/ending", "--for=delete", "--timeout=20s"]);
      await at().rest("DELETE", at().path("configmaps", "ending"));
      expect((await waiting).code).toBe(0);
    });

    test("delete deletes and waits until the object is gone", async () => {
      await at().create("configmaps", { metadata: { name: "deleted" } });
      expect(await kubectl(["delete", "cm", "deleted"])).toMatch(/^configmap "deleted" deleted/);
      expect((await at().kubectl(["delete", "cm", "deleted"])).stderr).toContain('configmaps "deleted" not found');
      expect(await kubectl(["delete", "cm", "deleted", "--ignore-not-found"])).toBe("");
    });

    test("delete -l deletes what the selector finds", async () => {
      for (const name of ["a", "b"]) await at().create("secrets", { metadata: { name, labels: { doomed: "yes" } } });
      await kubectl(["delete", "secrets", "-l", "doomed"]);
      expect(await kubectl(["get", "secrets", "-l", "doomed", "-o", "name"])).toBe("");
    });

    test("delete --cascade=foreground waits for what the object owns", async (context) => {
      needsControllers(context, target());
      const { metadata } = await at().create("configmaps", { metadata: { name: "owner" } });
      const reference = {
        apiVersion: "v1",
        kind: "ConfigMap",
        name: "owner",
        uid: metadata?.uid,
        blockOwnerDeletion: true,
      };
      await at().create("configmaps", { metadata: { name: "owned", ownerReferences: [reference] } });
      await kubectl(["delete", "cm", "owner", "--cascade=foreground", "--timeout=40s"]);
      expect((await at().rest("GET", at().path("configmaps", "owned"))).code).toBe(404);
    });
  });
}
