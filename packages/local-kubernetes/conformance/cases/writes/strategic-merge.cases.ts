import { describe, expect, test } from "vitest";
import { expectCode, scopeOf } from "../../scope.ts";
import type { ConformanceTarget, KubeObject } from "../../target.ts";

interface Template {
  readonly containers: { name: string; image: string; env?: object[]; ports?: object[]; [field: string]: unknown }[];
  readonly volumes?: { name: string; [field: string]: unknown }[];
  readonly tolerations?: object[];
  readonly [field: string]: unknown;
}

export function strategicMergeCases(target: () => ConformanceTarget): void {
  describe("strategic merge patch", () => {
    const at = scopeOf(target);
    const contentType = "application/strategic-merge-patch+json";
    const deployments = "apps/v1/deployments";

    const deployment = (name: string, spec: object) =>
      at().create(deployments, {
        metadata: { name },
        spec: {
          replicas: 0,
          selector: { matchLabels: { app: name } },
          template: { metadata: { labels: { app: name } }, spec },
        },
      });
    const patchTemplate = async (name: string, spec: object): Promise<Template> => {
      const body = { spec: { template: { spec } } };
      const answer = await at().rest("PATCH", at().path(deployments, name), body, { contentType });
      return templateOf(expectCode(200, answer));
    };
    const a = { name: "a", image: "a:1" };
    const b = { name: "b", image: "b:1" };

    test("containers are merged by their name", async () => {
      await deployment("by-name", { containers: [a, b] });
      const { containers } = await patchTemplate("by-name", { containers: [{ name: "b", image: "b:2" }] });
      expect(containers.map(({ name, image }) => ({ name, image }))).toEqual([a, { name: "b", image: "b:2" }]);
    });

    test("a container with a new name is put first", async () => {
      await deployment("new-name", { containers: [a] });
      const { containers } = await patchTemplate("new-name", { containers: [b] });
      expect(containers.map(({ name }) => name)).toEqual(["b", "a"]);
    });

    test("$patch: delete removes the container it names", async () => {
      await deployment("deleting", { containers: [a, b] });
      const { containers } = await patchTemplate("deleting", { containers: [{ $patch: "delete", name: "a" }] });
      expect(containers.map(({ name }) => name)).toEqual(["b"]);
    });

    test("$patch: replace replaces the whole list", async () => {
      await deployment("replacing", { containers: [a, b] });
      const c = { name: "c", image: "c:1" };
      const { containers } = await patchTemplate("replacing", { containers: [{ $patch: "replace" }, c] });
      expect(containers.map(({ name }) => name)).toEqual(["c"]);
    });

    test("$setElementOrder gives the order of the merged list", async () => {
      await deployment("ordered", { containers: [a] });
      const { containers } = await patchTemplate("ordered", {
        "$setElementOrder/containers": [{ name: "a" }, { name: "b" }],
        containers: [b],
      });
      expect(containers.map(({ name }) => name)).toEqual(["a", "b"]);
    });

    test("environment variables are merged by their name, deep inside a container", async () => {
      const env = [
        { name: "A", value: "1" },
        { name: "B", value: "2" },
      ];
      await deployment("env", { containers: [{ ...a, env }] });
      const change = [
        { name: "B", value: "3" },
        { name: "A", $patch: "delete" },
      ];
      const { containers } = await patchTemplate("env", { containers: [{ name: "a", env: change }] });
      expect(containers[0]?.env).toEqual([{ name: "B", value: "3" }]);
    });

    test("a container's ports are merged by containerPort", async () => {
      const ports = [{ containerPort: 2379, name: "client" }, { containerPort: 2380 }];
      await deployment("ports", { containers: [{ ...a, ports }] });
      const change = [{ containerPort: 2380, name: "peer" }];
      const { containers } = await patchTemplate("ports", { containers: [{ name: "a", ports: change }] });
      expect(containers[0]?.ports).toEqual([
        { containerPort: 2379, name: "client", protocol: "TCP" },
        { containerPort: 2380, name: "peer", protocol: "TCP" },
      ]);
    });

    test("volumes are merged by name, and $retainKeys changes the kind of a volume", async () => {
      const volumes = [
        { name: "data", emptyDir: {} },
        { name: "tls", secret: { secretName: "tls" } },
      ];
      await deployment("volumes", { containers: [a], volumes });
      const change = { name: "data", $retainKeys: ["name", "configMap"], configMap: { name: "data" } };
      const merged = await patchTemplate("volumes", { volumes: [change] });
      expect(merged.volumes?.find(({ name }) => name === "data")).toEqual({
        name: "data",
        configMap: { name: "data", defaultMode: 420 },
      });
      expect(merged.volumes).toHaveLength(2);
    });

    test("tolerations are replaced as a whole", async () => {
      const tolerations = [{ key: "a", operator: "Exists" }];
      await deployment("tolerations", { containers: [a], tolerations });
      const merged = await patchTemplate("tolerations", { tolerations: [{ key: "b", operator: "Exists" }] });
      expect(merged.tolerations).toEqual([{ key: "b", operator: "Exists" }]);
    });

    test("null removes a field", async () => {
      await deployment("nulled", { containers: [a], nodeSelector: { disk: "ssd" }, hostname: "h" });
      const merged = await patchTemplate("nulled", { hostname: null, nodeSelector: null });
      expect(merged).not.toHaveProperty("hostname");
      expect(merged).not.toHaveProperty("nodeSelector");
    });

    test("$patch: replace in a map replaces the map", async () => {
      await deployment("map", { containers: [a], nodeSelector: { disk: "ssd", zone: "a" } });
      const merged = await patchTemplate("map", { nodeSelector: { $patch: "replace", zone: "b" } });
      expect(merged.nodeSelector).toEqual({ zone: "b" });
    });

    test("a container's command is replaced as a whole", async () => {
      await deployment("command", { containers: [{ ...a, command: ["etcd", "--name=a"] }] });
      const { containers } = await patchTemplate("command", { containers: [{ name: "a", command: ["etcd"] }] });
      expect(containers[0]?.command).toEqual(["etcd"]);
    });

    const patchMetadata = async (name: string, metadata: object) => {
      const answer = await at().rest("PATCH", at().path("configmaps", name), { metadata }, { contentType });
      return expectCode(200, answer).metadata;
    };

    test("finalizers are united, and $deleteFromPrimitiveList removes one", async () => {
      await at().create("configmaps", { metadata: { name: "united", finalizers: ["example.com/a"] } });
      const united = await patchMetadata("united", { finalizers: ["example.com/b"] });
      expect(united?.finalizers?.toSorted()).toEqual(["example.com/a", "example.com/b"]);
      const left = await patchMetadata("united", { "$deleteFromPrimitiveList/finalizers": ["example.com/a"] });
      expect(left?.finalizers).toEqual(["example.com/b"]);
      await patchMetadata("united", { finalizers: null });
    });

    test("ownerReferences are merged by uid", async () => {
      // Real owners: the garbage collector removes an object whose owners are gone.
      const ownerCalled = async (name: string) => {
        const { metadata } = await at().create("configmaps", { metadata: { name } });
        return { apiVersion: "v1", kind: "ConfigMap", name, uid: metadata?.uid };
      };
      const one = await ownerCalled("owner-one");
      const two = await ownerCalled("owner-two");
      await at().create("configmaps", { metadata: { name: "owned", ownerReferences: [one] } });
      const added = await patchMetadata("owned", { ownerReferences: [two] });
      expect(added?.ownerReferences).toHaveLength(2);
      const removed = await patchMetadata("owned", { ownerReferences: [{ $patch: "delete", uid: one.uid }] });
      expect(removed?.ownerReferences).toEqual([two]);
    });

    test("a Service's ports are merged by port", async () => {
      const ports = [
        { name: "client", port: 2379 },
        { name: "peer", port: 2380 },
      ];
      await at().create("services", { metadata: { name: "ports" }, spec: { ports } });
      const body = { spec: { ports: [{ port: 2380, targetPort: 12380 }] } };
      const answer = await at().rest("PATCH", at().path("services", "ports"), body, { contentType });
      const spec = expectCode(200, answer).spec as { ports: { port: number; targetPort: number }[] };
      expect(spec.ports.map(({ port, targetPort }) => [port, targetPort])).toEqual([
        [2379, 2379],
        [2380, 12380],
      ]);
    });
  });
}

function templateOf(deployment: KubeObject): Template {
  return (deployment.spec as { template: { spec: Template } }).template.spec;
}
