import { describe, expect, test } from "vitest";
import { expectCode, scopeOf } from "../../scope.ts";
import type { ConformanceTarget, KubeObject } from "../../target.ts";

export function serviceCases(target: () => ConformanceTarget): void {
  describe("a Service", () => {
    const at = scopeOf(target);
    const selector = { app: "etcd" };
    const create = (name: string, spec: object = {}) =>
      at().create("services", { metadata: { name }, spec: { selector, ports: [{ port: 2379 }], ...spec } });
    const clusterIpOf = ({ spec }: KubeObject) => (spec as { clusterIP: string }).clusterIP;

    test("gets an address of the cluster and the defaults of Kubernetes", async () => {
      const service = await create("defaults");
      const clusterIP = clusterIpOf(service);
      expect(clusterIP).toMatch(/^\d+\.\d+\.\d+\.\d+$/);
      expect(service.spec).toMatchObject({
        type: "ClusterIP",
        clusterIPs: [clusterIP],
        sessionAffinity: "None",
        internalTrafficPolicy: "Cluster",
        ipFamilies: ["IPv4"],
        ipFamilyPolicy: "SingleStack",
        ports: [{ port: 2379, targetPort: 2379, protocol: "TCP" }],
      });
      expect(service.status).toEqual({ loadBalancer: {} });
    });

    test("has an address that no other has", async () => {
      const one = clusterIpOf(await create("one"));
      const two = clusterIpOf(await create("two"));
      expect(one).not.toBe(two);
    });

    test("is refused an address that another has", async () => {
      const clusterIP = clusterIpOf(await create("first"));
      const object = { metadata: { name: "second" }, spec: { clusterIP, ports: [{ port: 1 }] } };
      const { code, body } = await at().rest("POST", at().path("services"), object);
      expect(code).toBe(422);
      expect(body.message).toContain(
        `spec.clusterIPs: Invalid value: ["${clusterIP}"]: failed to allocate IP ${clusterIP}: provided IP is already allocated`,
      );
    });

    test("is refused an address or a port that another has, also in an update", async () => {
      const held = await create("holder", { type: "NodePort" });
      const clusterIP = clusterIpOf(held);
      const { nodePort } = (held.spec as { ports: { nodePort: number }[] }).ports[0] ?? { nodePort: 0 };
      await create("outside", { type: "ExternalName", externalName: "a.example" });
      await create("inside");
      const refused = async (name: string, spec: object) => {
        const contentType = "application/merge-patch+json";
        const { code, body } = await at().rest("PATCH", at().path("services", name), { spec }, { contentType });
        return [code, body.message];
      };
      expect(await refused("outside", { type: "ClusterIP", externalName: null, clusterIP })).toEqual([
        422,
        `Service "outside" is invalid: spec.clusterIPs: Invalid value: ["${clusterIP}"]: failed to allocate IP ${clusterIP}: provided IP is already allocated`,
      ]);
      const taken = `spec.ports[0].nodePort: Invalid value: ${nodePort}: provided port is already allocated`;
      const asking = { type: "NodePort", ports: [{ port: 2379, nodePort }] };
      expect(await refused("inside", asking)).toEqual([422, `Service "inside" is invalid: ${taken}`]);
      const { code, body } = await at().rest("POST", at().path("services"), {
        metadata: { name: "new" },
        spec: asking,
      });
      expect([code, body.message]).toEqual([422, `Service "new" is invalid: ${taken}`]);
    });

    test("gives its address back when it is deleted", async () => {
      const clusterIP = clusterIpOf(await create("leaving"));
      await at().rest("DELETE", at().path("services", "leaving"));
      expect(clusterIpOf(await create("taking-over", { clusterIP }))).toBe(clusterIP);
    });

    test("without address is headless", async () => {
      const service = await create("headless", { clusterIP: "None", publishNotReadyAddresses: true });
      expect(service.spec).toMatchObject({ clusterIP: "None", clusterIPs: ["None"], publishNotReadyAddresses: true });
    });

    test("keeps its address through an update that does not name it", async () => {
      const service = await create("kept");
      const { resourceVersion } = service.metadata ?? {};
      const object = { metadata: { name: "kept", resourceVersion }, spec: { selector, ports: [{ port: 2380 }] } };
      const updated = expectCode(200, await at().rest("PUT", at().path("services", "kept"), object));
      expect(clusterIpOf(updated)).toBe(clusterIpOf(service));
    });

    test("cannot change its address", async () => {
      await create("steady");
      const { code, body } = await at().rest("PATCH", at().path("services", "steady"), {
        spec: { clusterIP: "None" },
      });
      expect(code).toBe(422);
      expect(body.message).toContain('spec.clusterIPs[0]: Invalid value: ["None"]: may not change once set');
    });

    test("without ports is refused unless it is headless", async () => {
      const refused = await at().rest("POST", at().path("services"), {
        metadata: { name: "no-ports" },
        spec: { selector },
      });
      expect(refused.code).toBe(422);
      expect(refused.body.message).toContain("spec.ports: Required value");
      await create("no-ports-headless", { clusterIP: "None", ports: [] });
    });

    test("with two ports must name them", async () => {
      const spec = { ports: [{ port: 1 }, { port: 2 }] };
      const { body } = await at().rest("POST", at().path("services"), { metadata: { name: "nameless" }, spec });
      expect(body).toMatchObject({
        details: {
          causes: [
            { reason: "FieldValueRequired", field: "spec.ports[0].name" },
            { reason: "FieldValueRequired", field: "spec.ports[1].name" },
          ],
        },
      });
    });

    test("kubernetes leads to the API server", async () => {
      const { body } = await at().rest("GET", "/api/v1/namespaces/default/services/kubernetes");
      expect(body.spec).toMatchObject({ type: "ClusterIP", ports: [{ name: "https", port: 443, protocol: "TCP" }] });
    });
  });
}
