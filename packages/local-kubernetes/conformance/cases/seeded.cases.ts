import { describe, expect, test } from "vitest";
import { crds, definition, randomGroup } from "../custom-kind.ts";
import { expectCode, scopeOf } from "../scope.ts";
import type { ConformanceTarget } from "../target.ts";

const containers = [{ name: "a", image: "example.com/a" }];
const schedulerName = "none";

/** What generated requests have brought to light; see docs/development/conformance.md. */
export function seededCases(target: () => ConformanceTarget): void {
  describe("a deletion", () => {
    const at = scopeOf(target);

    test("of a pod that ends at once is first seen as a change", async () => {
      const spec = { containers, schedulerName, nodeName: "a-node" };
      const made = await at().create("pods", { metadata: { name: "ends" }, spec });
      const deleted = expectCode(200, await at().rest("DELETE", `${at().path("pods", "ends")}?gracePeriodSeconds=0`));
      const path = `${at().path("pods")}?watch=1&resourceVersion=${made.metadata?.resourceVersion}`;
      const events = await at().events(`${path}&fieldSelector=metadata.name%3Dends`, 2);
      expect(events.map(({ type }) => type)).toEqual(["MODIFIED", "DELETED"]);
      for (const { object } of events) {
        expect(object.metadata).toMatchObject({ generation: 2, deletionGracePeriodSeconds: 0 });
      }
      expect(events[1]?.object.metadata?.resourceVersion).toBe(deleted.metadata?.resourceVersion);
    });

    test("of a collection respects preconditions, and tells what there was", async () => {
      const labels = { of: "collection" };
      for (const name of ["one", "two"]) await at().create("configmaps", { metadata: { name, labels } });
      const path = `${at().path("configmaps")}?labelSelector=of%3Dcollection`;
      const refused = await at().rest("DELETE", path, { preconditions: { resourceVersion: "1" } });
      expect([refused.code, refused.body.reason]).toEqual([409, "Conflict"]);
      const orphaned = expectCode(200, await at().rest("DELETE", path, { propagationPolicy: "Orphan" }));
      const items = orphaned.items as { metadata: object }[];
      expect(items.map(({ metadata }) => metadata)).toMatchObject([{ name: "one" }, { name: "two" }]);
      for (const { metadata } of items) expect(metadata).not.toHaveProperty("deletionTimestamp");
    });

    test("of a collection stops at the limit", async () => {
      const labels = { of: "limit" };
      for (const name of ["first", "second"]) await at().create("configmaps", { metadata: { name, labels } });
      const path = `${at().path("configmaps")}?labelSelector=of%3Dlimit`;
      expect(expectCode(200, await at().rest("DELETE", `${path}&limit=1`)).items).toHaveLength(1);
      expect(expectCode(200, await at().rest("GET", path)).items).toMatchObject([{ metadata: { name: "second" } }]);
    });
  });

  describe("a wanted version", () => {
    const at = scopeOf(target);

    test("of an object that is not there has to be a number, and is echoed by a dry run", async () => {
      const path = at().path("rbac.authorization.k8s.io/v1/roles", "absent");
      const role = (resourceVersion: string) => ({ metadata: { name: "absent", resourceVersion } });
      const echoed = expectCode(201, await at().rest("PUT", `${path}?dryRun=All`, role("77")));
      expect(echoed.metadata?.resourceVersion).toBe("77");
      const wrong = 'strconv.ParseUint: parsing "none": invalid syntax';
      const put = await at().rest("PUT", path, role("none"));
      expect([put.code, put.body.message]).toEqual([500, wrong]);
    });

    test("of a read may not lie ahead, and what is no number is told of Events in other words", async () => {
      const ahead = await at().rest("GET", `${at().path("configmaps", "absent")}?resourceVersion=9999999`);
      expect([ahead.code, ahead.body.reason]).toEqual([504, "Timeout"]);
      const why = 'resourceVersion: Invalid value: "none": strconv.ParseUint: parsing "none": invalid syntax';
      const plain = await at().rest("GET", `${at().path("configmaps", "absent")}?resourceVersion=none`);
      expect([plain.code, plain.body.message]).toEqual([500, why]);
      const event = await at().rest("GET", `${at().path("events", "absent")}?resourceVersion=none`);
      expect([event.code, event.body.message]).toEqual([400, `invalid resource version: ${why}`]);
    });

    test("of a watch is looked at before where it would continue", async () => {
      const path = `${at().path("configmaps")}?watch=1&timeoutSeconds=1&continue=x`;
      expect((await at().rest("GET", `${path}&resourceVersion=none`)).code).toBe(500);
      expect((await at().rest("GET", `${path}&resourceVersion=0`)).code).toBe(422);
      const { metadata } = expectCode(200, await at().rest("GET", at().path("configmaps")));
      expect((await at().rest("GET", `${path}&resourceVersion=${metadata?.resourceVersion}`)).code).toBe(200);
    });
  });

  describe("a body", () => {
    const at = scopeOf(target);

    test.each([
      ["binding", { metadata: { name: "none" }, target: "x" }, "of type v1.ObjectReference"],
      ["eviction", { metadata: { name: "none" }, deleteOptions: "x" }, "of type v1.DeleteOptions"],
      ["binding", { kind: "Pod", metadata: { name: "none" } }, "converting (v1.Pod) to (core.Binding)"],
    ])("of a %s is decoded", async (action, body, why) => {
      const { code, body: status } = await at().rest("POST", at().path("pods", `none/${action}`), body);
      expect(code).toBe(400);
      expect(status.message).toContain(why);
    });

    test("of a binding has to name a node", async () => {
      const path = at().path("pods", "none/binding");
      const unnamed = await at().rest("POST", path, { metadata: { name: "none" }, target: {} });
      expect([unnamed.code, unnamed.body.message]).toEqual([500, "target.name: Required value"]);
      const odd = await at().rest("POST", path, { metadata: { name: "none" }, target: { name: "a-node", odd: 1 } });
      expect([odd.code, odd.headers.warning]).toEqual([404, '299 - "unknown field \\"target.odd\\""']);
    });

    test("of a review has lists of texts for what else is known of a user", async () => {
      const review = (extra: unknown) =>
        at().rest("POST", "/apis/authorization.k8s.io/v1/subjectaccessreviews", {
          spec: { user: "u", extra, nonResourceAttributes: { path: "/" } },
        });
      expect(expectCode(201, await review({ a: ["b"] })).spec).toMatchObject({ extra: { a: ["b"] } });
      const field = "into Go struct field SubjectAccessReviewSpec.spec.extra of type";
      const of = async (extra: unknown) => (await review(extra)).body.message;
      expect(await of({ a: "b" })).toContain(`cannot unmarshal string ${field} v1.ExtraValue`);
      expect(await of(["b"])).toContain(`cannot unmarshal array ${field} map[string]v1.ExtraValue`);
    });
  });

  describe("a kind", () => {
    const at = scopeOf(target);

    test("that converts in an unknown way is told the known ones", async () => {
      const crd = definition(randomGroup());
      const odd = { ...crd, spec: { ...crd.spec, conversion: { strategy: "Magic" } } };
      const { body } = await at().rest("POST", `${crds}?dryRun=All`, odd);
      expect(body.message).toContain('Unsupported value: "Magic": supported values: "None", "Webhook"');
    });

    test("of a kind without a counted generation keeps the one that it was created with", async () => {
      const lease = await at().create("coordination.k8s.io/v1/leases", {
        metadata: { name: "counted", generation: 7 },
      });
      expect(lease.metadata?.generation).toBe(7);
    });

    test("of Events takes any name that fits into a path", async () => {
      await at().create("events", { metadata: { name: "Upper_Case" }, involvedObject: { namespace: at().namespace } });
      const event = { metadata: { name: "a/b" }, involvedObject: { namespace: at().namespace } };
      const { body } = await at().rest("POST", at().path("events"), event);
      expect(body.message).toBe('Event "a/b" is invalid: metadata.name: Invalid value: "a/b": may not contain \'/\'');
    });

    test("of Jobs takes the labels of its pods when it has none", async () => {
      const template = { spec: { containers, schedulerName, restartPolicy: "Never" } };
      const job = await at().create("batch/v1/jobs", {
        metadata: { name: "bare", labels: { a: "b" } },
        spec: { template },
      });
      // Without the version that it had: a controller may have written a status meanwhile.
      const { labels: _, resourceVersion: _version, ...metadata } = job.metadata ?? {};
      const bare = expectCode(200, await at().rest("PUT", at().path("batch/v1/jobs", "bare"), { ...job, metadata }));
      expect(bare.metadata?.labels).toMatchObject({ "job-name": "bare", "batch.kubernetes.io/job-name": "bare" });
    });
  });

  describe("a pod", () => {
    const at = scopeOf(target);
    const [container] = containers;
    const probe = { exec: { command: ["true"] }, tcpSocket: { port: 80 } };
    const env = [
      { name: "A", valueFrom: { secretKeyRef: { name: "s", key: "k" }, configMapKeyRef: { name: "s", key: "k" } } },
    ];

    test.each([
      [
        { containers: [{ ...container, livenessProbe: probe }] },
        "spec.containers[0].livenessProbe.tcpSocket: Forbidden: may not specify more than 1 handler type",
      ],
      [
        { containers: [{ ...container, readinessProbe: {} }] },
        "spec.containers[0].readinessProbe: Required value: must specify a handler type",
      ],
      [
        { containers: [{ ...container, env }] },
        'spec.containers[0].env[0].valueFrom: Invalid value: "": may not have more than one field specified at a time',
      ],
      [
        { containers, volumes: [{ name: "v", emptyDir: {}, hostPath: { path: "/x" } }] },
        "spec.volumes[0].hostPath: Forbidden: may not specify more than 1 volume type",
      ],
      [
        { containers, initContainers: [{ ...container, name: "i", readinessProbe: { exec: { command: ["true"] } } }] },
        "spec.initContainers[0].readinessProbe: Forbidden: may not be set for init containers without restartPolicy=Always",
      ],
    ])("has to choose: %j", async (spec, why) => {
      const pod = { metadata: { name: "choices" }, spec: { ...spec, schedulerName } };
      const { code, body } = await at().rest("POST", at().path("pods"), pod);
      expect([code, body.message]).toEqual([422, `Pod "choices" is invalid: ${why}`]);
    });
  });

  describe("a Service", () => {
    const at = scopeOf(target);
    const service = (name: string, ports: object[], more: object = {}) =>
      at().rest("POST", at().path("services"), { metadata: { name }, spec: { ports, ...more } });
    const dns = [
      { name: "tcp", port: 53, protocol: "TCP" },
      { name: "udp", port: 53, protocol: "UDP" },
    ];

    test("is reached at one node port over both protocols", async () => {
      const made = expectCode(201, await service("both", dns, { type: "NodePort" }));
      const [tcp, udp] = (made.spec as { ports: { nodePort: number }[] }).ports;
      expect(udp?.nodePort).toBe(tcp?.nodePort);
      const taken = [{ port: 1, nodePort: tcp?.nodePort }];
      const other = await service("other", taken, { type: "NodePort" });
      expect(other.code).toBe(422);
      expect(other.body.message).toContain("provided port is already allocated");
    });

    test("does not give one node port to two ports", async () => {
      const made = expectCode(201, await service("free", [{ port: 1 }], { type: "NodePort" }));
      const [{ nodePort } = { nodePort: 0 }] = (made.spec as { ports: { nodePort: number }[] }).ports;
      expectCode(200, await at().rest("DELETE", at().path("services", "free")));
      const ports = [
        { name: "a", port: 1, nodePort },
        { name: "b", port: 2, nodePort },
      ];
      const { code, body } = await service("two", ports, { type: "NodePort" });
      expect([code, body.message]).toEqual([
        422,
        `Service "two" is invalid: spec.ports[1].nodePort: Invalid value: ${nodePort}: provided port is already allocated`,
      ]);
    });

    test("takes node ports of the range, where it takes any", async () => {
      const low = await service("low", [{ port: 1, nodePort: 3 }], { type: "NodePort" });
      expect(low.body.message).toContain(
        "provided port is not in the valid range. The range of valid ports is 30000-32767",
      );
      const inside = await service("inside", [{ port: 1, nodePort: 30_009 }]);
      expect(inside.body.message).toContain("Forbidden: may not be used when `type` is 'ClusterIP'");
      const none = await service("none", [{}]);
      expect(none.body.message).toContain(
        "spec.ports[0].port: Invalid value: 0: must be between 1 and 65535, inclusive",
      );
    });

    test("that is left its address has it from the server", async () => {
      const headless = { clusterIP: "None", selector: { app: "a" } };
      expectCode(201, await service("kept", [{ port: 80 }], headless));
      const bare = { metadata: { name: "kept" }, spec: { ports: [{ port: 80 }], selector: { app: "a" } } };
      const kept = expectCode(200, await at().rest("PUT", at().path("services", "kept"), bare));
      expect(kept.spec).toMatchObject({ clusterIP: "None" });
    });

    test("without address and pods claims both families", async () => {
      const made = expectCode(201, await service("bare", [{ port: 80 }], { clusterIP: "None" }));
      expect(made.spec).toMatchObject({ ipFamilyPolicy: "RequireDualStack", ipFamilies: ["IPv4", "IPv6"] });
      const dual = await service("dual", [{ port: 80 }], { ipFamilyPolicy: "RequireDualStack" });
      expect(dual.body.message).toContain("this cluster is not configured for dual-stack services");
    });
  });
}
