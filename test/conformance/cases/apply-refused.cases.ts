import { describe, expect, test } from "vitest";
import { apply, linesOf } from "../managed-fields.ts";
import { needs, scopeOf } from "../scope.ts";
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

const podOf = (...containers: object[]) => ({
  metadata: { labels: { app: "a" } },
  spec: { schedulerName: "nobody", containers },
});

export function applyRefusedCases(target: () => ConformanceTarget): void {
  describe("apply is refused", () => {
    const at = scopeOf(target);
    const refused = async (object: KubeObject) => {
      const { code, body } = await apply(at(), "apps/v1/deployments", object, { as: "me" });
      return [code, body.message];
    };

    test("without a manager, and forced where nothing is applied", async (context) => {
      needs(context, target(), "server-side apply");
      const path = at().path("configmaps", "options");
      const contentType = "application/apply-patch+yaml";
      const nobody = await at().rest("PATCH", path, configMap("options"), { contentType });
      expect([nobody.code, nobody.body.message]).toEqual([
        422,
        'PatchOptions.meta.k8s.io "" is invalid: fieldManager: Required value: is required for apply patch',
      ]);
      const forced = await at().rest("PATCH", `${path}?force=true`, {});
      expect([forced.code, forced.body.message]).toEqual([
        422,
        'PatchOptions.meta.k8s.io "" is invalid: force: Forbidden: may not be specified for non-apply patch',
      ]);
    });

    const typed = (what: string) => `failed to create typed patch object (/typed; /v1, Kind=ConfigMap): ${what}`;
    const bodies: readonly [string, KubeObject | string, number, string][] = [
      [
        "no YAML",
        "a: b: c",
        400,
        "error decoding YAML: error converting YAML to JSON: yaml: mapping values are not allowed in this context",
      ],
      [
        "a list",
        "- a",
        400,
        "error decoding YAML: error unmarshaling JSON: while decoding JSON: json: cannot unmarshal array into Go value of type map[string]interface {}",
      ],
      ["nothing", "", 400, "invalid object type: /, Kind="],
      ["another kind", { ...configMap("typed"), kind: "Secret" }, 400, "invalid object type: /v1, Kind=Secret"],
      ["another version", { ...configMap("typed"), apiVersion: "v2" }, 400, "invalid object type: /v2, Kind=ConfigMap"],
      ["managed fields", configMap("typed", {}, { managedFields: [] }), 400, "metadata.managedFields must be nil"],
      ["an unknown field", { ...configMap("typed"), foo: 1 }, 500, typed(".foo: field not declared in schema")],
      [
        "a number for a text",
        configMap("typed", { a: 5 }),
        500,
        typed(".data.a: expected string, got &value.valueUnstructured{Value:5}"),
      ],
      ["a text for a map", { ...configMap("typed"), data: "text" }, 500, typed(".data: expected map, got &{text}")],
    ];
    test.each(bodies)("with %s in the body", async (_, body, code, message) => {
      if (target().lacks.has("server-side apply")) return;
      const answer = await apply(at(), "configmaps", body, { as: "me" }, "typed");
      expect([answer.code, answer.body.message]).toEqual([code, message]);
    });

    test("with several mistakes at once, and containers of the same name", async (context) => {
      needs(context, target(), "server-side apply");
      const wrong = { replicas: "3", template: { spec: { containerz: [] } } };
      const [code, message] = await refused(deployment("typed", wrong));
      expect(code).toBe(500);
      expect(linesOf(message)).toEqual([
        "  .spec.replicas: expected numeric (int or float), got string",
        "  .spec.template.spec.containerz: field not declared in schema",
        "failed to create typed patch object (/typed; apps/v1, Kind=Deployment): errors:",
      ]);
      const twins = { template: podOf({ name: "c" }, { name: "c" }) };
      expect(await refused(deployment("typed", twins))).toEqual([
        500,
        'failed to create typed patch object (/typed; apps/v1, Kind=Deployment): .spec.template.spec.containers: duplicate entries for key [name="c"]',
      ]);
    });
  });
}
