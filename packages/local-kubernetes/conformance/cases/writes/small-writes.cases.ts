import { describe, expect, test } from "vitest";
import { expectCode, scopeOf } from "../../scope.ts";
import type { ConformanceTarget } from "../../target.ts";

const ports = [{ containerPort: 80 }];
const containers = ["a", "b"].map((name) => ({ name, image: "example.com/a", ports }));
const schedulerName = "none";
const uid = "11111111-2222-3333-4444-555555555555";

/** Small things that a server says or keeps when something is written. */
export function smallWriteCases(target: () => ConformanceTarget): void {
  describe("a write", () => {
    const at = scopeOf(target);
    const template = { metadata: { labels: { app: "a" } }, spec: { containers, schedulerName } };
    const spec = { replicas: 0, selector: { matchLabels: { app: "a" } }, template };

    test("of a pod whose containers share a port is answered with a warning", async () => {
      const pod = { apiVersion: "v1", kind: "Pod", metadata: { name: "ports" }, spec: template.spec };
      const { code, headers } = await at().rest("POST", at().path("pods"), pod);
      expect(code).toBe(201);
      expect(headers.warning).toBe(
        '299 - "spec.containers[1].ports[0]: duplicate port definition with spec.containers[0].ports[0]"',
      );
    });

    test("of a template whose containers share a port is answered with a warning when the spec changes", async () => {
      await at().create("apps/v1/deployments", { metadata: { name: "ports" }, spec });
      const path = at().path("apps/v1/deployments", "ports");
      const changed = await at().rest("PATCH", path, { spec: { minReadySeconds: 1 } });
      const where = "spec.template.spec.containers";
      expect(changed.headers.warning).toBe(
        `299 - "${where}[1].ports[0]: duplicate port definition with ${where}[0].ports[0]"`,
      );
      const labelled = await at().rest("PATCH", path, { metadata: { labels: { a: "b" } } });
      expect(labelled.headers.warning).toBeUndefined();
    });

    test("of a binding has to name the pod", async () => {
      const binding = { apiVersion: "v1", kind: "Binding", metadata: { name: "other" }, target: { name: "a-node" } };
      const { code, body } = await at().rest("POST", at().path("pods", "unbound/binding"), binding);
      expect([code, body.message]).toEqual([400, "name in URL does not match name in Binding object"]);
    });

    test("is counted with annotations of a Deployment and labels of a slice", async () => {
      const deployment = { metadata: { name: "counted" }, spec: { ...spec, paused: true } };
      await at().create("apps/v1/deployments", deployment);
      const slice = { addressType: "IPv4", endpoints: [] };
      await at().create("discovery.k8s.io/v1/endpointslices", { metadata: { name: "counted" }, ...slice });
      const noted = async (resource: string, metadata: object) =>
        expectCode(200, await at().rest("PATCH", at().path(resource, "counted"), { metadata })).metadata?.generation;
      expect(await noted("apps/v1/deployments", { labels: { a: "1" } })).toBe(1);
      expect(await noted("apps/v1/deployments", { annotations: { a: "1" } })).toBe(2);
      expect(await noted("discovery.k8s.io/v1/endpointslices", { labels: { a: "1" } })).toBe(2);
    });

    test("that would create by PUT is refused when it names a uid", async () => {
      const role = {
        apiVersion: "rbac.authorization.k8s.io/v1",
        kind: "Role",
        metadata: { name: "r", uid },
        rules: [],
      };
      const { code, body } = await at().rest("PUT", at().path("rbac.authorization.k8s.io/v1/roles", "r"), role);
      expect(code).toBe(409);
      expect(body.message).toContain(
        `Code: 4, Key: /registry/roles/${at().namespace}/r, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: ` +
          `UID in precondition: ${uid}, UID in object meta: `,
      );
    });

    test("of a PriorityClass may not change what pods were given already", async () => {
      const [apiVersion, name] = ["scheduling.k8s.io/v1", `class-${at().namespace}`];
      const priority = { apiVersion, kind: "PriorityClass", metadata: { name }, value: 1 };
      const path = `/apis/${apiVersion}/priorityclasses`;
      expectCode(201, await at().rest("POST", path, priority));
      const { code, body } = await at().rest("PATCH", `${path}/${name}`, { value: 2, preemptionPolicy: "Never" });
      expect(code).toBe(422);
      expect(body.message).toContain("value: Forbidden: may not be changed in an update.");
      expect(body.message).toContain('preemptionPolicy: Invalid value: "Never": field is immutable');
      await at().rest("DELETE", `${path}/${name}`);
    });

    test("of a node's condition without times shows them as null", async () => {
      const name = `times-${at().namespace}`;
      const status = { conditions: [{ type: "Ready", status: "True" }] };
      const node = { apiVersion: "v1", kind: "Node", metadata: { name }, status };
      const made = expectCode(201, await at().rest("POST", "/api/v1/nodes", node));
      expect(made.status).toMatchObject({ conditions: [{ lastHeartbeatTime: null, lastTransitionTime: null }] });
      await at().rest("DELETE", `/api/v1/nodes/${name}`);
    });

    test.each([
      ["configmaps", {}],
      ["secrets", {}],
      ["serviceaccounts", {}],
      ["apps/v1/deployments", { spec }],
      ["apps/v1/replicasets", { spec }],
      ["batch/v1/jobs", { spec: { template: { spec: { ...template.spec, restartPolicy: "Never" } } } }],
    ])("of %s needs a domain in the names of finalizers, also later", async (resource, rest) => {
      const why = 'metadata.finalizers[0]: Invalid value: "bare": name is neither a standard finalizer name nor is it ';
      const { metadata: _, ...made } = await at().create(resource, { metadata: { name: "domain" }, ...rest });
      const finalizers = ["bare"];
      const other = { apiVersion: made.apiVersion, kind: made.kind, metadata: { name: "bare", finalizers }, ...rest };
      const created = await at().rest("POST", at().path(resource), other);
      expect([created.code, created.body.message]).toEqual([422, expect.stringContaining(why)]);
      const patched = await at().rest("PATCH", at().path(resource, "domain"), { metadata: { finalizers } });
      expect([patched.code, patched.body.message]).toEqual([422, expect.stringContaining(why)]);
    });

    test("that deletes a namespace gives it no grace period", async () => {
      const name = `going-${at().namespace}`;
      const namespace = { apiVersion: "v1", kind: "Namespace", metadata: { name } };
      expectCode(201, await at().rest("POST", "/api/v1/namespaces", namespace));
      const { metadata } = expectCode(200, await at().rest("DELETE", `/api/v1/namespaces/${name}`));
      expect(metadata).toHaveProperty("deletionTimestamp");
      expect(metadata).not.toHaveProperty("deletionGracePeriodSeconds");
    });
  });
}
