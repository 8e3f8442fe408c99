import { describe, expect, test } from "vitest";
import { customKind } from "../../custom-kind.ts";
import { expectCode, scopeOf } from "../../scope.ts";
import type { ConformanceTarget, KubeObject } from "../../target.ts";

const statusSchema = {
  type: "object",
  properties: {
    size: { type: "integer" },
    phase: { type: "string", enum: ["Running", "Failed"] },
    selector: { type: "string" },
  },
};

const specSchema = {
  type: "object",
  properties: { size: { type: "integer", maximum: 7 }, mode: { type: "string", default: "A" } },
};

export function crdSubresourceCases(target: () => ConformanceTarget): void {
  describe("custom resources and their status", () => {
    const at = scopeOf(target);
    const kind = customKind(target, {
      schema: { properties: { spec: specSchema, status: statusSchema } },
      version: { subresources: { status: {} } },
    });
    const create = (name: string, rest: KubeObject = {}) =>
      at().create(kind.resource, kind.widget(name, { spec: { size: 1 }, ...rest }));
    const status = (name: string) => `${at().path(kind.resource, name)}/status`;

    test("the status is dropped from a create and from an update of the object", async () => {
      const created = await create("dropped", { status: { phase: "Running" } });
      expect(created.status).toBeUndefined();
      const path = at().path(kind.resource, "dropped");
      const body = expectCode(200, await at().rest("PUT", path, { ...created, status: { phase: "Running" } }));
      expect(body.status).toBeUndefined();
      expect(body.metadata?.resourceVersion).toBe(created.metadata?.resourceVersion);
    });

    test("the status is written through its own path, which leaves spec and labels alone", async () => {
      const created = await create("written");
      const changed = {
        ...created,
        metadata: { ...created.metadata, labels: { a: "b" } },
        spec: { size: 5 },
        status: { phase: "Running" },
      };
      const body = expectCode(200, await at().rest("PUT", status("written"), changed));
      expect(body).toMatchObject({ spec: { size: 1, mode: "A" }, status: { phase: "Running" } });
      expect(body.metadata?.labels).toBeUndefined();
    });

    test("the status does not raise the generation; the spec does", async () => {
      const created = await create("counted");
      expect(created.metadata?.generation).toBe(1);
      const reported = expectCode(200, await at().rest("PATCH", status("counted"), { status: { phase: "Running" } }));
      expect(reported.metadata?.generation).toBe(1);
      const path = at().path(kind.resource, "counted");
      const labelled = expectCode(200, await at().rest("PATCH", path, { metadata: { labels: { a: "b" } } }));
      expect(labelled.metadata?.generation).toBe(1);
      const resized = expectCode(200, await at().rest("PATCH", path, { spec: { size: 2 } }));
      expect(resized).toMatchObject({ metadata: { generation: 2 }, status: { phase: "Running" } });
    });

    test("the status is validated and pruned by the schema", async () => {
      await create("checked");
      const { code, body } = await at().rest("PATCH", status("checked"), { status: { phase: "Unheard" } });
      expect(code).toBe(422);
      expect(body.message).toContain(
        'status.phase: Unsupported value: "Unheard": supported values: "Running", "Failed"',
      );
      const answer = await at().rest("PATCH", status("checked"), { status: { size: 1, invented: true } });
      expect(expectCode(200, answer).status).toEqual({ size: 1 });
    });

    test("the status is refused with 409 when the resourceVersion is outdated", async () => {
      const created = await create("stale");
      await at().rest("PATCH", at().path(kind.resource, "stale"), { spec: { size: 2 } });
      const { code, body } = await at().rest("PUT", status("stale"), { ...created, status: { phase: "Running" } });
      expect(code).toBe(409);
      expect(body.message).toContain(`Operation cannot be fulfilled on widgets.${kind.group} "stale"`);
    });

    test("an update of a custom resource must carry a resourceVersion", async () => {
      await create("versionless");
      const { code, body } = await at().rest(
        "PUT",
        at().path(kind.resource, "versionless"),
        kind.widget("versionless", { spec: { size: 2 } }),
      );
      expect(code).toBe(422);
      expect(body.message).toContain("metadata.resourceVersion: Invalid value: 0: must be specified for an update");
    });

    test("a strategic merge patch is refused with 415", async () => {
      await create("strategic");
      const contentType = "application/strategic-merge-patch+json";
      const { code } = await at().rest(
        "PATCH",
        at().path(kind.resource, "strategic"),
        { spec: { size: 2 } },
        { contentType },
      );
      expect(code).toBe(415);
    });
  });

  describe("the scale of custom resources", () => {
    const at = scopeOf(target);
    const kind = customKind(target, {
      schema: { properties: { spec: specSchema, status: statusSchema } },
      version: {
        subresources: {
          status: {},
          scale: {
            specReplicasPath: ".spec.size",
            statusReplicasPath: ".status.size",
            labelSelectorPath: ".status.selector",
          },
        },
      },
    });
    const scaled = async (name: string) => {
      await at().create(kind.resource, kind.widget(name, { spec: { size: 3 } }));
      const path = at().path(kind.resource, name);
      await at().rest("PATCH", `${path}/status`, { status: { size: 2, selector: "app=etcd" } });
      return `${path}/scale`;
    };

    test("shows the wanted and the present size and the selector", async () => {
      const path = await scaled("shown");
      const { metadata } = await at().get(kind.resource, "shown");
      expect(expectCode(200, await at().rest("GET", path))).toMatchObject({
        kind: "Scale",
        apiVersion: "autoscaling/v1",
        metadata: {
          name: "shown",
          namespace: at().namespace,
          uid: metadata?.uid,
          resourceVersion: metadata?.resourceVersion,
        },
        spec: { replicas: 3 },
        status: { replicas: 2, selector: "app=etcd" },
      });
    });

    test("a PUT changes the size and nothing else", async () => {
      const path = await scaled("put");
      const { body } = await at().rest("GET", path);
      const changed = expectCode(200, await at().rest("PUT", path, { ...body, spec: { replicas: 5 } }));
      expect(changed).toMatchObject({ kind: "Scale", spec: { replicas: 5 } });
      expect(await at().get(kind.resource, "put")).toMatchObject({
        metadata: { generation: 2 },
        spec: { size: 5, mode: "A" },
        status: { size: 2 },
      });
    });

    test("a merge patch changes the size", async () => {
      const path = await scaled("patched");
      expectCode(200, await at().rest("PATCH", path, { spec: { replicas: 4 } }));
      expect((await at().get(kind.resource, "patched")).spec).toMatchObject({ size: 4 });
    });

    test("the object's schema holds for it", async () => {
      const path = await scaled("limited");
      const { code, body } = await at().rest("PATCH", path, { spec: { replicas: 9 } });
      expect(code).toBe(422);
      expect(body.message).toContain("spec.size in body should be less than or equal to 7");
    });

    test("a negative size is refused", async () => {
      const path = await scaled("negative");
      const { code, body } = await at().rest("PATCH", path, { spec: { replicas: -1 } });
      expect(code).toBe(422);
      expect(body.message).toContain(".spec.size: Invalid value: -1: should be a non-negative integer");
    });
  });
}
