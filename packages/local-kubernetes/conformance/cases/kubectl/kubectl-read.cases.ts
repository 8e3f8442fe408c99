import { until } from "@etcd-operator/testing/until.ts";
import { beforeAll, describe, expect, test } from "vitest";
import { scopeOf } from "../../scope.ts";
import type { ConformanceTarget } from "../../target.ts";

export function kubectlReadCases(target: () => ConformanceTarget): void {
  describe("kubectl reads", () => {
    const at = scopeOf(target);
    const kubectl = (...args: string[]) => at().kubectlOk(args);

    beforeAll(async () => {
      await at().create("configmaps", { metadata: { name: "one", labels: { app: "x" } }, data: { a: "1" } });
      await at().create("configmaps", { metadata: { name: "two", labels: { app: "y" } } });
      const spec = { schedulerName: "none", containers: [{ name: "etcd", image: "etcd:v3.5.16" }] };
      const { metadata } = await at().create("pods", { metadata: { name: "pod", labels: { app: "x" } }, spec });
      await at().create("events", {
        metadata: { name: "pod.1" },
        involvedObject: { apiVersion: "v1", kind: "Pod", namespace: at().namespace, name: "pod", uid: metadata?.uid },
        reason: "Pulled",
        message: "the image was pulled",
        type: "Normal",
        lastTimestamp: new Date().toISOString().replace(/\.\d+/, ""),
      });
    });

    test("get prints a table", async () => {
      const [header = "", row = ""] = (await kubectl("get", "cm", "one")).split("\n");
      expect(header.split(/\s+/)).toEqual(["NAME", "DATA", "AGE"]);
      expect(row.split(/\s+/).slice(0, 2)).toEqual(["one", "1"]);
    });

    test("get -o wide prints more columns", async () => {
      const [header = ""] = (await kubectl("get", "pods", "-o", "wide")).split("\n");
      expect(header.split(/\s{2,}/).slice(0, 7)).toEqual(["NAME", "READY", "STATUS", "RESTARTS", "AGE", "IP", "NODE"]);
    });

    test("get -o yaml, json, name and jsonpath print the object", async () => {
      expect(await kubectl("get", "cm", "one", "-o", "yaml")).toMatch(
        /^apiVersion: v1\ndata:\n {2}a: "1"\nkind: ConfigMap\n/,
      );
      expect(JSON.parse(await kubectl("get", "cm", "one", "-o", "json"))).toMatchObject({ data: { a: "1" } });
      expect(await kubectl("get", "cm", "one", "-o", "name")).toBe("configmap/one\n");
      expect(await kubectl("get", "cm", "one", "-o", "jsonpath={.data.a}")).toBe("1");
    });

    test("get -l and --field-selector choose", async () => {
      expect(await kubectl("get", "cm", "-l", "app in (x)", "-o", "name")).toBe("configmap/one\n");
      expect(await kubectl("get", "cm", "--field-selector=metadata.name=two", "-o", "name")).toBe("configmap/two\n");
    });

    test("get of several kinds at once prints each", async () => {
      const printed = await kubectl("get", "pods,cm", "-l", "app=x", "-o", "name");
      expect(printed).toBe("pod/pod\nconfigmap/one\n");
    });

    test("get all prints what belongs to the category", async () => {
      expect(await kubectl("get", "all")).toContain("pod/pod");
    });

    test("get -A prints the namespace of each", async () => {
      const [header = ""] = (await kubectl("get", "cm", "-A")).split("\n");
      expect(header).toMatch(/^NAMESPACE\s+NAME\s+DATA\s+AGE/);
    });

    test("get --chunk-size walks through pages", async () => {
      expect(await kubectl("get", "cm", "-l", "app", "--chunk-size=1", "-o", "name")).toBe(
        "configmap/one\nconfigmap/two\n",
      );
    });

    test("get of what does not exist says so", async () => {
      const { code, stderr } = await at().kubectl(["get", "cm", "none"]);
      expect(code).toBe(1);
      expect(stderr).toBe('Error from server (NotFound): configmaps "none" not found\n');
    });

    test("get of a kind that does not exist says so", async () => {
      const { stderr } = await at().kubectl(["get", "gadgets"]);
      expect(stderr).toBe(`error: the server doesn't have a resource type "gadgets"\n`);
    });

    test("get with nothing to show says so", async () => {
      const { stderr } = await at().kubectl(["get", "deployments"]);
      expect(stderr).toBe(`No resources found in ${at().namespace} namespace.\n`);
    });

    test("get -w prints changes as they come", async () => {
      await at().create("configmaps", { metadata: { name: "watched" } });
      let ended = false;
      const args = ["get", "cm", "watched", "-w", "--output-watch-events", "--request-timeout=1s"];
      const watching = at()
        .kubectl(args)
        .finally(() => {
          ended = true;
        });
      let count = 0;
      const changed = async () => {
        count += 1;
        await at().rest("PATCH", at().path("configmaps", "watched"), { data: { count: String(count) } });
        return ended;
      };
      await until(changed, { what: "kubectl to end" });
      const { stdout } = await watching;
      expect(stdout).toMatch(/^ADDED\s+watched\s/m);
      expect(stdout).toMatch(/^MODIFIED\s+watched\s/m);
    });

    test("describe prints an object with its events", async () => {
      const printed = await kubectl("describe", "pod", "pod");
      expect(printed).toMatch(/^Name:\s+pod$/m);
      expect(printed).toMatch(/^Status:\s+Pending$/m);
      expect(printed).toMatch(/Normal\s+Pulled\s.*the image was pulled/);
    });

    test("events and get events print what happened", async () => {
      expect(await kubectl("get", "events")).toMatch(/Normal\s+Pulled\s+pod\/pod\s+the image was pulled/);
      expect(await kubectl("events", "--for", "pod/pod")).toMatch(/Normal\s+Pulled\s+Pod\/pod\s+the image was pulled/);
    });

    test("api-resources lists kinds with their short names and groups", async () => {
      const printed = await kubectl("api-resources");
      expect(printed).toMatch(/^pods\s+po\s+v1\s+true\s+Pod$/m);
      expect(printed).toMatch(/^poddisruptionbudgets\s+pdb\s+policy\/v1\s+true\s+PodDisruptionBudget$/m);
      expect(printed).toMatch(/^storageclasses\s+sc\s+storage\.k8s\.io\/v1\s+false\s+StorageClass$/m);
    });

    test("api-versions lists groups and versions", async () => {
      expect((await kubectl("api-versions")).split("\n")).toEqual(
        expect.arrayContaining(["v1", "apps/v1", "policy/v1"]),
      );
    });

    test("version tells the server's version", async () => {
      expect(await kubectl("version")).toMatch(/^Server Version: v1\.\d+\.\d+/m);
    });

    test("explain describes the fields of a pod", async () => {
      const printed = await kubectl("explain", "pod");
      expect(printed).toMatch(/^KIND:\s+Pod$/m);
      expect(printed).toMatch(/^VERSION:\s+v1$/m);
      expect(printed).toMatch(/^ {2}spec\s+<PodSpec>$/m);
    });

    test("auth can-i tells what the administrator may do", async () => {
      expect(await kubectl("auth", "can-i", "delete", "pods")).toBe("yes\n");
    });

    test("get --raw reaches any path of the server", async () => {
      expect(await kubectl("get", "--raw", "/readyz")).toBe("ok");
    });
  });
}
