import { until } from "@etcd-operator/testing/until.ts";
import { afterAll, describe, expect, test } from "vitest";
import { crds, define, definition, kindOf, randomGroup, served } from "../../custom-kind.ts";
import { expectCode, scopeOf } from "../../scope.ts";
import type { ConformanceTarget, KubeObject } from "../../target.ts";

interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
}

interface Definition extends KubeObject {
  readonly status: { conditions: Condition[] | null; acceptedNames: object; storedVersions: string[] };
}

export function crdDefinitionCases(target: () => ConformanceTarget): void {
  describe("a CustomResourceDefinition", () => {
    const at = scopeOf(target);
    const made: string[] = [];
    const freshGroup = () => {
      const group = randomGroup();
      made.push(group);
      return group;
    };
    afterAll(async () => {
      for (const group of made) await target().rest("DELETE", kindOf(group).crd);
    });
    const refused = async (crd: KubeObject) => {
      const { code, body } = await at().rest("POST", crds, crd);
      expect(code).toBe(422);
      expect(body).toMatchObject({ reason: "Invalid", details: { kind: "CustomResourceDefinition" } });
      return String(body.message);
    };

    test("becomes Established with its names accepted", async () => {
      const group = freshGroup();
      await define(target(), group, { names: { shortNames: ["wd"] } });
      const { status } = expectCode(200, await at().rest<Definition>("GET", kindOf(group).crd));
      const summary = status.conditions?.map(({ type, status, reason }) => `${type} ${status} ${reason}`).sort();
      expect(summary).toEqual(["Established True InitialNamesAccepted", "NamesAccepted True NoConflicts"]);
      expect(status.acceptedNames).toEqual({
        plural: "widgets",
        singular: "widget",
        kind: "Widget",
        listKind: "WidgetList",
        shortNames: ["wd"],
      });
      expect(status.storedVersions).toEqual(["v1"]);
    });

    test("fills in singular, listKind and the conversion strategy None", async () => {
      const names = { plural: "widgets", kind: "Widget" };
      const crd = definition(freshGroup());
      const body = expectCode(201, await at().rest("POST", crds, { ...crd, spec: { ...crd.spec, names } }));
      expect(body.spec).toMatchObject({
        names: { singular: "widget", listKind: "WidgetList" },
        conversion: { strategy: "None" },
      });
    });

    test("is refused when its name is not <plural>.<group>", async () => {
      const crd = definition(randomGroup());
      const message = await refused({ ...crd, metadata: { name: "gadgets.example.com" } });
      expect(message).toContain(
        'metadata.name: Invalid value: "gadgets.example.com": must be spec.names.plural+"."+spec.group',
      );
    });

    test("is refused without exactly one storage version", async () => {
      const crd = definition(randomGroup(), { version: { storage: false } });
      expect(await refused(crd)).toContain("must have exactly one version marked as storage version");
    });

    test("that changes is in force at once: a field it adds is kept from then on", async () => {
      const kind = kindOf(freshGroup());
      const spec = (properties: object) => ({ properties: { spec: { type: "object", properties } } });
      await define(target(), kind.group, { schema: spec({ old: { type: "string" } }) });
      const { body } = await at().rest("GET", kind.crd);
      const changed = definition(kind.group, { schema: spec({ old: { type: "string" }, new: { type: "string" } }) });
      expectCode(200, await at().rest("PUT", kind.crd, { ...changed, metadata: body.metadata ?? {} }));
      await until(
        async () => {
          const widget = kind.widget("probe", { spec: { new: "kept" } });
          const answer = await at().rest("POST", `${at().path(kind.resource)}?dryRun=All`, widget);
          return (answer.body.spec as { new?: string } | undefined)?.new === "kept";
        },
        { what: "the new schema to be in force" },
      );
    });

    test("takes its objects with it when it is deleted", async () => {
      const kind = kindOf(randomGroup());
      await define(target(), kind.group);
      await at().create(kind.resource, kind.widget("doomed"));
      expectCode(200, await at().rest("DELETE", kind.crd));
      const gone = async () => (await at().rest("GET", kind.crd)).code === 404;
      await until(gone, { what: "the CRD to be gone" });
      const unserved = async () => (await at().rest("GET", at().path(kind.resource))).code === 404;
      await until(unserved, { what: "its objects to be no longer served" });
      await define(target(), kind.group);
      made.push(kind.group);
      expect((await at().rest("GET", at().path(kind.resource, "doomed"))).code).toBe(404);
    });

    test("of the scope Cluster has objects without a namespace", async () => {
      const kind = kindOf(freshGroup());
      await define(target(), kind.group, { scope: "Cluster" });
      const path = `/apis/${kind.resource}`;
      const { metadata } = expectCode(201, await at().rest("POST", path, kind.widget("wide")));
      expect(metadata?.namespace).toBeUndefined();
      expect((await at().rest("GET", at().path(kind.resource, "wide"))).code).toBe(404);
    });

    test("with two versions serves each object in both, changing nothing but apiVersion", async () => {
      const kind = kindOf(freshGroup());
      const crd = definition(kind.group, {
        schema: { properties: { spec: { type: "object", "x-kubernetes-preserve-unknown-fields": true } } },
      });
      const [v1] = crd.spec.versions as object[];
      const versions = [
        v1,
        { ...v1, name: "v2", storage: false },
        { ...v1, name: "v0", storage: false, served: false },
      ];
      expectCode(201, await at().rest("POST", crds, { ...crd, spec: { ...crd.spec, versions } }));
      await served(target(), `/apis/${kind.group}/v2/widgets`);
      await at().create(kind.resource, kind.widget("both", { spec: { size: 3 } }));
      const other = await at().get(`${kind.group}/v2/widgets`, "both");
      expect(other).toMatchObject({ apiVersion: `${kind.group}/v2`, kind: "Widget", spec: { size: 3 } });
      expect((await at().rest("GET", at().path(`${kind.group}/v0/widgets`))).code).toBe(404);
    });

    test("with two versions keeps only what the stored one knows, with its defaults", async () => {
      const kind = kindOf(freshGroup());
      const number = { type: "integer" };
      const schemaOf = (properties: object) => ({ properties: { spec: { type: "object", properties } } });
      const crd = definition(kind.group, { schema: schemaOf({ both: number, filled: { ...number, default: 4 } }) });
      const other = definition(kind.group, { schema: schemaOf({ both: number, filled: number, own: number }) });
      const [[v1], [v2]] = [crd.spec.versions as object[], other.spec.versions as object[]];
      const versions = [v1, { ...v2, name: "v2", storage: false }];
      expectCode(201, await at().rest("POST", crds, { ...crd, spec: { ...crd.spec, versions } }));
      await served(target(), `/apis/${kind.group}/v2/widgets`);
      const widget = { ...kind.widget("pruned", { spec: { both: 1, own: 2 } }), apiVersion: `${kind.group}/v2` };
      const made = expectCode(201, await at().rest("POST", at().path(`${kind.group}/v2/widgets`), widget));
      expect(made.spec).toEqual({ both: 1, filled: 4 });
      expect((await at().get(kind.resource, "pruned")).spec).toEqual({ both: 1, filled: 4 });
    });

    test("with bounds that are no whole numbers holds whole numbers against what is before their point", async () => {
      const kind = kindOf(freshGroup());
      const size = { type: "number", minimum: -1.5, maximum: 7.25 };
      const schema = { properties: { spec: { type: "object", properties: { size } } } };
      expectCode(201, await at().rest("POST", crds, definition(kind.group, { schema })));
      await served(target(), `/apis/${kind.resource}`);
      const said = async (value: number) => {
        const widget = kind.widget("bounds", { spec: { size: value } });
        return (await at().rest("POST", at().path(kind.resource), widget)).body.message;
      };
      expect(await said(10)).toContain("spec.size in body should be less than or equal to 7");
      expect(await said(10)).not.toContain("7.25");
      expect(await said(7.5)).toContain("spec.size in body should be less than or equal to 7.25");
    });
  });
}
