import { describe, expect, test } from "vitest";
import { apply, byManager, managersOf } from "../managed-fields.ts";
import { expectCode, needs, scopeOf } from "../scope.ts";
import type { ConformanceTarget, KubeObject } from "../target.ts";

const configMap = (name: string | undefined, data?: object, metadata: object = {}): KubeObject => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { ...(name !== undefined && { name }), ...metadata },
  ...(data && { data }),
});

const deployment = (name: string, spec: object): KubeObject => ({
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name },
  spec,
});

const selector = { matchLabels: { app: "a" } };
const podOf = (...containers: object[]) => ({
  metadata: { labels: { app: "a" } },
  spec: { schedulerName: "nobody", containers },
});

export function applyCases(target: () => ConformanceTarget): void {
  describe("apply", () => {
    const at = scopeOf(target);
    const applyTo = (object: KubeObject, as: string, more: { force?: boolean; query?: string } = {}) =>
      apply(at(), object.kind === "Deployment" ? "apps/v1/deployments" : "configmaps", object, { as, ...more });
    const applied = async (...args: Parameters<typeof applyTo>) => expectCode(200, await applyTo(...args));
    const refused = async (...args: Parameters<typeof applyTo>) => {
      const { code, body } = await applyTo(...args);
      return [code, body.message];
    };

    describe("of an object that is not there", () => {
      test("creates it, and whoever applied has exactly what they wrote", async (context) => {
        needs(context, target(), "server-side apply");
        const object = expectCode(201, await applyTo(configMap("new", { a: "1" }, { labels: { l: "1" } }), "me"));
        const fields = { "f:data": { "f:a": {} }, "f:metadata": { "f:labels": { "f:l": {} } } };
        expect(managersOf(object)).toEqual([{ who: "me Apply", fields }]);
      });

      test("fills in defaults that nobody has", async (context) => {
        needs(context, target(), "server-side apply");
        const template = podOf({ name: "c", image: "i", ports: [{ containerPort: 80 }], env: [] });
        const object = expectCode(201, await applyTo(deployment("new", { replicas: 0, selector, template }), "me"));
        expect(object.spec).toMatchObject({ strategy: { type: "RollingUpdate" } });
        const port = { 'k:{"containerPort":80,"protocol":"TCP"}': { ".": {}, "f:containerPort": {} } };
        const own = { ".": {}, "f:image": {}, "f:name": {}, "f:ports": port };
        expect(byManager(object)["me Apply"]).toEqual({
          "f:spec": {
            "f:replicas": {},
            "f:selector": {},
            "f:template": {
              "f:metadata": { "f:labels": { "f:app": {} } },
              "f:spec": { "f:containers": { 'k:{"name":"c"}': own }, "f:schedulerName": {} },
            },
          },
        });
      });

      test("is created by a dry run, and not stored", async (context) => {
        needs(context, target(), "server-side apply");
        expectCode(201, await applyTo(configMap("dry", { a: "1" }), "me", { query: "&dryRun=All" }));
        expectCode(404, await at().rest("GET", at().path("configmaps", "dry")));
      });

      test("needs the name of the path, and no identity of an object that is gone", async (context) => {
        needs(context, target(), "server-side apply");
        const to = async (object: KubeObject) => {
          const { code, body } = await apply(at(), "configmaps", object, { as: "me" }, "named");
          return [code, body.message];
        };
        expect(await to(configMap(undefined))).toEqual([
          400,
          "the name of the object (named based on URL) was undeterminable: name must be provided",
        ]);
        expect(await to(configMap("other"))).toEqual([
          400,
          "the name of the object (other) does not match the name on the URL (named)",
        ]);
        expect(await to(configMap("named", {}, { uid: "abc" }))).toEqual([
          409,
          'Operation cannot be fulfilled on configmaps "named": uid mismatch: the provided object specified uid abc, and no existing object was found',
        ]);
        expect((await to(configMap("named", {}, { resourceVersion: "5" })))[0]).toBe(201);
      });
    });

    describe("of an object that is there", () => {
      test("changes nothing, and writes nothing, when it says what is so", async (context) => {
        needs(context, target(), "server-side apply");
        const before = expectCode(201, await applyTo(configMap("same", { a: "1" }), "me"));
        expect(await applied(configMap("same", { a: "1" }), "me")).toEqual(before);
      });

      test("removes what the manager no longer speaks of, and leaves what others have", async (context) => {
        needs(context, target(), "server-side apply");
        await at().create("configmaps", configMap("less", { theirs: "1" }));
        await applied(configMap("less", { a: "1", b: "2" }, { labels: { l: "1" } }), "me");
        const object = await applied(configMap("less", { b: "2" }), "me");
        expect(object.data).toEqual({ theirs: "1", b: "2" });
        expect(object.metadata?.labels).toBeUndefined();
        expect(byManager(object)["me Apply"]).toEqual({ "f:data": { "f:b": {} } });
      });

      test("shares a field that both give the same value, and the last to let go removes it", async (context) => {
        needs(context, target(), "server-side apply");
        expectCode(201, await applyTo(configMap("shared", { a: "1" }), "one"));
        const shared = await applied(configMap("shared", { a: "1" }), "two");
        const fields = { "f:data": { "f:a": {} } };
        expect(byManager(shared)).toEqual({ "one Apply": fields, "two Apply": fields });
        const entries = shared.metadata?.managedFields as { manager: string; time?: string }[];
        expect(entries.find(({ manager }) => manager === "two")?.time).toBeUndefined();
        expect((await applied(configMap("shared"), "one")).data).toEqual({ a: "1" });
        expect((await applied(configMap("shared"), "two")).data).toBeUndefined();
      });

      test("is refused for an outdated version, and for another object of the name", async (context) => {
        needs(context, target(), "server-side apply");
        await at().create("configmaps", configMap("versioned", { a: "1" }));
        const modified = "the object has been modified; please apply your changes to the latest version and try again";
        expect(await refused(configMap("versioned", { b: "1" }, { resourceVersion: "1" }), "me")).toEqual([
          409,
          `Operation cannot be fulfilled on configmaps "versioned": ${modified}`,
        ]);
        const [code] = await refused(configMap("versioned", { b: "1" }, { uid: "abc" }), "me");
        expect(code).toBe(422);
      });

      test("takes over what nobody kept track of as from before the first to apply", async (context) => {
        needs(context, target(), "server-side apply");
        await at().create("configmaps", configMap("untracked", { a: "1", b: "2" }));
        await at().rest("PATCH", at().path("configmaps", "untracked"), { metadata: { managedFields: [{}] } });
        expect(await refused(configMap("untracked", { a: "2" }), "me")).toEqual([
          409,
          'Apply failed with 1 conflict: conflict with "before-first-apply" using v1: .data.a',
        ]);
        const object = await applied(configMap("untracked", { a: "2" }), "me", { force: true });
        expect(byManager(object)).toEqual({
          "before-first-apply Update": { "f:data": { ".": {}, "f:b": {} } },
          "me Apply": { "f:data": { "f:a": {} } },
        });
      });
    });

    describe("of what somebody else has", () => {
      test("is a conflict that names the manager and the field", async (context) => {
        needs(context, target(), "server-side apply");
        await at().create("configmaps", configMap("contested", { a: "1" }));
        await at().rest("PATCH", `${at().path("configmaps", "contested")}?fieldManager=other`, { data: { a: "2" } });
        const { code, body } = await applyTo(configMap("contested", { a: "3" }), "me");
        expect(code).toBe(409);
        expect(body).toMatchObject({
          reason: "Conflict",
          message: 'Apply failed with 1 conflict: conflict with "other" using v1: .data.a',
          details: {
            causes: [{ reason: "FieldManagerConflict", message: 'conflict with "other" using v1', field: ".data.a" }],
          },
        });
      });

      test("lists several conflicts by manager", async (context) => {
        needs(context, target(), "server-side apply");
        const spec = { replicas: 0, selector, template: podOf({ name: "c", image: "i" }) };
        const path = at().path("apps/v1/deployments", "contested");
        expectCode(201, await applyTo(deployment("contested", spec), "one"));
        await at().rest("PATCH", `${path}/scale?fieldManager=scaler`, { spec: { replicas: 1 } });
        const wanted = { ...spec, replicas: 2, template: podOf({ name: "c", image: "j", args: ["x"] }) };
        expect(await refused(deployment("contested", wanted), "me")).toEqual([
          409,
          [
            'Apply failed with 2 conflicts: conflicts with "one":',
            '- .spec.template.spec.containers[name="c"].image',
            'conflicts with "scaler" with subresource "scale" using apps/v1:',
            "- .spec.replicas",
          ].join("\n"),
        ]);
      });

      test("takes the field when forced", async (context) => {
        needs(context, target(), "server-side apply");
        expectCode(201, await applyTo(configMap("forced", { a: "1", b: "1" }), "one"));
        const object = await applied(configMap("forced", { a: "2" }), "two", { force: true });
        expect(object.data).toEqual({ a: "2", b: "1" });
        expect(byManager(object)).toEqual({
          "one Apply": { "f:data": { "f:b": {} } },
          "two Apply": { "f:data": { "f:a": {} } },
        });
      });

      test("merges containers by their names, and orders them as they are applied", async (context) => {
        needs(context, target(), "server-side apply");
        const a = { name: "a", image: "i" };
        const [b, c] = [
          { name: "b", image: "i" },
          { name: "c", image: "i" },
        ];
        const names = (object: KubeObject) =>
          (object.spec as { template: { spec: { containers: { name: string }[] } } }).template.spec.containers.map(
            ({ name }) => name,
          );
        const spec = (...containers: object[]) => ({ replicas: 0, selector, template: podOf(...containers) });
        expectCode(201, await applyTo(deployment("merged", spec(a, b)), "one"));
        expect(names(await applied(deployment("merged", spec(c, a)), "two"))).toEqual(["c", "a", "b"]);
        expect(names(await applied(deployment("merged", spec(a)), "two"))).toEqual(["a", "b"]);
      });
    });

    describe("through a subresource", () => {
      const spec = { replicas: 0, selector, template: podOf({ name: "c", image: "i" }) };
      const through = (subresource: string, object: KubeObject, as: string) =>
        apply(at(), "apps/v1/deployments", object, { as, subresource, force: true });

      test("the status is written, and nothing else", async (context) => {
        needs(context, target(), "server-side apply");
        expectCode(201, await applyTo(deployment("status", spec), "me"));
        const status = { conditions: [{ type: "Odd", status: "True" }] };
        const object = { ...deployment("status", { replicas: 9 }), status };
        const answer = expectCode(200, await through("status", object, "stat"));
        expect(answer.spec).toMatchObject({ replicas: 0 });
        expect(byManager(answer)["stat Apply status"]).toEqual({
          "f:status": { "f:conditions": { 'k:{"type":"Odd"}': { ".": {}, "f:status": {}, "f:type": {} } } },
        });
      });

      test("the scale is written, as a field of the object", async (context) => {
        needs(context, target(), "server-side apply");
        expectCode(201, await applyTo(deployment("scale", spec), "me"));
        const scale = {
          apiVersion: "autoscaling/v1",
          kind: "Scale",
          metadata: { name: "scale" },
          spec: { replicas: 1 },
        };
        expect(expectCode(200, await through("scale", scale, "scaler"))).toMatchObject({ spec: { replicas: 1 } });
        const object = await at().get("apps/v1/deployments", "scale");
        expect(byManager(object)["scaler Apply scale"]).toEqual({ "f:spec": { "f:replicas": {} } });
      });

      test("an object that is not there is not created", async (context) => {
        needs(context, target(), "server-side apply");
        expectCode(404, await through("status", deployment("nowhere", spec), "stat"));
      });
    });
  });
}
