import { describe, expect, test } from "vitest";
import { until } from "../../support/kube/until.ts";
import { byManager, managersOf } from "../managed-fields.ts";
import { expectCode, needs, scopeOf } from "../scope.ts";
import type { ConformanceTarget, KubeObject } from "../target.ts";

const labels = { ".": {}, "f:app": {} };
const container = {
  ".": {},
  "f:image": {},
  "f:imagePullPolicy": {},
  "f:name": {},
  "f:resources": {},
  "f:terminationMessagePath": {},
  "f:terminationMessagePolicy": {},
};

export function managedFieldsCases(target: () => ConformanceTarget): void {
  describe("managed fields", (): void => {
    const at = scopeOf(target);
    const from = (userAgent: string) => ({ headers: { "user-agent": userAgent } });
    const created = async (resource: string, object: KubeObject): Promise<KubeObject> =>
      expectCode(201, await at().rest("POST", at().path(resource), object, from("creator/1.0 (x)")));
    const patched = async (name: string, as: string, body: object): Promise<KubeObject> =>
      expectCode(200, await at().rest("PATCH", `${at().path("configmaps", name)}?fieldManager=${as}`, body));

    test("belong to the program of the User-Agent, and tell neither what the server fills in nor whose name it is", async (context) => {
      needs(context, target(), "server-side apply");
      const object = await created("configmaps", {
        metadata: { name: "agent", labels: { app: "a" }, finalizers: [], annotations: { note: "x" } },
        data: { z: "1", a: "2" },
      });
      expect(object.metadata?.managedFields).toEqual([
        {
          manager: "creator",
          operation: "Update",
          apiVersion: "v1",
          time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
          fieldsType: "FieldsV1",
          fieldsV1: {
            "f:data": { ".": {}, "f:a": {}, "f:z": {} },
            "f:metadata": { "f:annotations": { ".": {}, "f:note": {} }, "f:labels": labels },
          },
        },
      ]);
      const fields = byManager(object)["creator Update"] as { "f:data": object };
      expect(Object.keys(fields["f:data"])).toEqual([".", "f:a", "f:z"]);
    });

    test("belong to nobody known where there is neither a name nor a User-Agent", async (context) => {
      needs(context, target(), "server-side apply");
      const path = at().path("configmaps");
      const object = expectCode(
        201,
        await at().rest("POST", path, { metadata: { generateName: "unknown-" } }, from("")),
      );
      expect(managersOf(object)).toEqual([
        { who: "unknown Update", fields: { "f:metadata": { "f:generateName": {} } } },
      ]);
    });

    test("pass to whoever changes them, and go with what is removed", async (context) => {
      needs(context, target(), "server-side apply");
      await created("configmaps", { metadata: { name: "passing" }, data: { a: "1", b: "2" } });
      const changed = await patched("passing", "other", { data: { a: "9" } });
      expect(byManager(changed)).toEqual({
        "creator Update": { "f:data": { ".": {}, "f:b": {} } },
        "other Update": { "f:data": { "f:a": {} } },
      });
      const removed = await patched("passing", "third", { data: { b: null } });
      expect(byManager(removed)).toEqual({
        "creator Update": { "f:data": {} },
        "other Update": { "f:data": { "f:a": {} } },
      });
    });

    test("stay as they are, with their times, when nothing changes", async (context) => {
      needs(context, target(), "server-side apply");
      const before = await created("configmaps", { metadata: { name: "still" }, data: { a: "1" } });
      const after = await patched("still", "other", { data: { a: "1" } });
      expect(after).toEqual(before);
    });

    test("are kept apart for the status, and the same manager may have both", async (context) => {
      needs(context, target(), "server-side apply");
      const spec = { schedulerName: "nobody", containers: [{ name: "a", image: "i" }] };
      await created("pods", { metadata: { name: "two-doors" }, spec });
      const status = {
        phase: "Running",
        podIP: "1.2.3.4",
        podIPs: [{ ip: "1.2.3.4" }],
        conditions: [{ type: "Ready", status: "True" }],
      };
      const path = `${at().path("pods", "two-doors")}/status?fieldManager=creator`;
      const object = expectCode(200, await at().rest("PATCH", path, { status }));
      const ready = { ".": {}, "f:lastProbeTime": {}, "f:lastTransitionTime": {}, "f:status": {}, "f:type": {} };
      expect(byManager(object)).toEqual({
        "creator Update": {
          "f:spec": {
            "f:containers": { 'k:{"name":"a"}': container },
            ...{ "f:dnsPolicy": {}, "f:enableServiceLinks": {}, "f:restartPolicy": {}, "f:schedulerName": {} },
            ...{ "f:securityContext": {}, "f:terminationGracePeriodSeconds": {} },
          },
        },
        "creator Update status": {
          "f:status": {
            "f:conditions": { ".": {}, 'k:{"type":"Ready"}': ready },
            "f:phase": {},
            "f:podIP": {},
            "f:podIPs": { ".": {}, 'k:{"ip":"1.2.3.4"}': { ".": {}, "f:ip": {} } },
          },
        },
      });
    });

    test("of a scale have no time", async (context) => {
      needs(context, target(), "server-side apply");
      const pod = { schedulerName: "nobody", containers: [{ name: "a", image: "i" }] };
      const template = { metadata: { labels: { app: "scaled" } }, spec: pod };
      const selector = { matchLabels: { app: "scaled" } };
      await created("apps/v1/replicasets", { metadata: { name: "scaled" }, spec: { replicas: 0, selector, template } });
      const path = at().path("apps/v1/replicasets", "scaled");
      const scale = `${path}/scale?fieldManager=scaler`;
      expectCode(200, await at().rest("PATCH", scale, { spec: { replicas: 1 } }));
      const entries = (await at().get("apps/v1/replicasets", "scaled")).metadata?.managedFields as object[];
      expect(entries).toContainEqual({
        manager: "scaler",
        operation: "Update",
        apiVersion: "apps/v1",
        fieldsType: "FieldsV1",
        fieldsV1: { "f:spec": { "f:replicas": {} } },
        subresource: "scale",
      });
    });

    test.each([[[]], [[{}]]])("are dropped for good by %j", async (managedFields) => {
      if (target().lacks.has("server-side apply")) return;
      const { metadata } = await created("configmaps", { metadata: { generateName: "reset-" }, data: { a: "1" } });
      const name = metadata?.name ?? "";
      const put = (more: object, a: string) =>
        at().rest("PUT", at().path("configmaps", name), { metadata: { name, ...more }, data: { a } }, from("creator"));
      expect(managersOf(expectCode(200, await put({}, "1")))).toHaveLength(1);
      expect(managersOf(expectCode(200, await put({ managedFields }, "1")))).toEqual([]);
      expect(managersOf(expectCode(200, await put({}, "2")))).toEqual([]);
    });

    test("can be written by hand, and what makes no sense is ignored", async (context) => {
      needs(context, target(), "server-side apply");
      await created("configmaps", { metadata: { name: "by-hand" }, data: { a: "1" } });
      const path = at().path("configmaps", "by-hand");
      const put = (entry: object) =>
        at().rest("PUT", path, { metadata: { name: "by-hand", managedFields: [entry] }, data: { a: "1" } });
      expect(managersOf(expectCode(200, await put({ manager: "x", operation: "Steal" })))).toMatchObject([
        { who: "creator Update" },
      ]);
      const fieldsV1 = { "f:data": { "f:a": {} } };
      const entry = { manager: "x", operation: "Update", apiVersion: "v1", fieldsType: "FieldsV1", fieldsV1 };
      expect(managersOf(expectCode(200, await put(entry)))).toEqual([{ who: "x Update", fields: fieldsV1 }]);
    });

    test("of more than ten updaters are put together for the oldest", async (context) => {
      needs(context, target(), "server-side apply");
      await created("configmaps", { metadata: { name: "crowd" }, data: { first: "1" } });
      for (let number = 10; number < 22; number++)
        await patched("crowd", `m${number}`, { data: { [`k${number}`]: "1" } });
      const all = byManager(await at().get("configmaps", "crowd"));
      expect(Object.keys(all)).toHaveLength(10);
      const data = (all["ancient-changes Update"] as { "f:data": object })["f:data"];
      expect(Object.keys(data)).toHaveLength(5);
    });

    test("of a name that is too long or cannot be printed are refused", async (context) => {
      needs(context, target(), "server-side apply");
      const create = (name: string) => at().rest("POST", `${at().path("configmaps")}?fieldManager=${name}`, {});
      const long = await create("m".repeat(129));
      expect([long.code, long.body.message]).toEqual([
        422,
        'CreateOptions.meta.k8s.io "" is invalid: fieldManager: Too long: may not be more than 128 bytes',
      ]);
      const odd = await create("a%0Ab");
      expect([odd.code, odd.body.message]).toEqual([
        422,
        'CreateOptions.meta.k8s.io "" is invalid: fieldManager: Invalid value: "a\\nb": invalid character U+000A (at position 1)',
      ]);
    });

    test("of a CRD's status are the server's own", async (context) => {
      needs(context, target(), "server-side apply");
      const { body } = await until(
        async () => {
          const list = await target().rest<{ items: KubeObject[] }>(
            "GET",
            "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
          );
          return list.body.items.length > 0 ? list : undefined;
        },
        { what: "a CRD" },
      );
      const all = body.items.map(byManager).filter((each) => "kube-apiserver Update status" in each);
      const entry = {
        ".": {},
        "f:lastTransitionTime": {},
        "f:message": {},
        "f:reason": {},
        "f:status": {},
        "f:type": {},
      };
      expect(all[0]?.["kube-apiserver Update status"]).toMatchObject({
        "f:status": { "f:conditions": { 'k:{"type":"Established"}': entry, 'k:{"type":"NamesAccepted"}': entry } },
      });
    });
  });
}
