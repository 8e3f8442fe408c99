import { beforeAll, describe, expect, test } from "vitest";
import { customKind } from "../../custom-kind.ts";
import { expectCode, scopeOf } from "../../scope.ts";
import type { ConformanceTarget } from "../../target.ts";

const MERGE = "application/merge-patch+json";
const STRATEGIC = "application/strategic-merge-patch+json";
const JSON_PATCH = "application/json-patch+json";

/** Patches that cannot be read, or leave something that cannot. */
export function patchRefusalCases(target: () => ConformanceTarget): void {
  describe("refused patches", () => {
    const at = scopeOf(target);
    const kind = customKind(target);
    const path = () => at().path("configmaps", "patched");
    const patch = (contentType: string, body: unknown, where = path()) =>
      at().rest("PATCH", where, body, { contentType });

    beforeAll(async () => {
      await at().create("configmaps", { metadata: { name: "patched" }, data: { a: "1" } });
      await at().create(kind.resource, kind.widget("patched"));
    });

    test.each([
      [MERGE, "[]", "error decoding patch: json: cannot unmarshal array into Go value of type map[string]interface {}"],
      [MERGE, "{", "error decoding patch: "],
      [MERGE, "null", "Invalid JSON Patch"],
      [STRATEGIC, "1", "json: cannot unmarshal number into Go value of type map[string]interface {}"],
      // The words of a JSON parser are its own.
      [STRATEGIC, "{} {}", ""],
      [
        JSON_PATCH,
        "[1]",
        "error decoding patch: json: cannot unmarshal number into Go value of type handlers.jsonPatchOp",
      ],
      [JSON_PATCH, "[{", "error decoding patch: "],
      [
        MERGE,
        '{"metadata":{"name":null}}',
        "the name of the object (patched based on URL) was undeterminable: name must be provided",
      ],
    ])("%s: %s", async (contentType, body, message) => {
      const answer = await patch(contentType, body);
      expect([answer.code, answer.body.message]).toEqual([400, expect.stringContaining(message)]);
    });

    test.each([
      [MERGE, { data: { a: 5 } }, "json: cannot unmarshal number into Go struct field ConfigMap.data of type string"],
      [
        MERGE,
        { data: 5 },
        "json: cannot unmarshal number into Go struct field ConfigMap.data of type map[string]string",
      ],
      [MERGE, { kind: "Other" }, 'no kind "Other" is registered for version "v1"'],
      [
        JSON_PATCH,
        [{ op: "add", path: "/data", value: [] }],
        "json: cannot unmarshal array into Go struct field ConfigMap.data",
      ],
    ])("what %s with %j leaves is invalid at the patch", async (contentType, body, why) => {
      const answer = await patch(contentType, body);
      expect(answer.code).toBe(422);
      expect(answer.body.details).toMatchObject({ causes: [{ reason: "FieldValueInvalid", field: "patch" }] });
      expect(answer.body.message).toContain(why);
    });

    test("a strategic merge does not look at what the patch says of its kind", async () => {
      expectCode(200, await patch(STRATEGIC, { kind: "Other", apiVersion: "v9" }));
    });

    test("a key that is not there can be replaced, but not in something that is not there", async () => {
      expectCode(200, await patch(JSON_PATCH, [{ op: "replace", path: "/data/new", value: "x" }]));
      expectCode(422, await patch(JSON_PATCH, [{ op: "replace", path: "/spec/new", value: "x" }]));
    });

    test("nothing is read of a patch for an object that is not there", async () => {
      expectCode(404, await patch(MERGE, "{", at().path("configmaps", "missing")));
    });

    test("the type of a patch comes before its options", async () => {
      const answer = await patch(STRATEGIC, {}, `${at().path(kind.resource, "patched")}?dryRun=Nothing`);
      expect(answer.code).toBe(415);
      expect(answer.body.message).toContain("application/json-patch+json, application/merge-patch+json");
      expect(answer.body.details).toBeUndefined();
    });

    test("a custom resource cannot be patched into another version", async () => {
      const answer = await patch(MERGE, { apiVersion: "v9" }, at().path(kind.resource, "patched"));
      expect(answer.code).toBe(422);
      expect(answer.body.message).toBe(
        `Widget "patched" is invalid: apiVersion: Invalid value: "v9": must be ${kind.group}/v1`,
      );
    });

    test("a custom resource cannot be patched to have no version to compare", async () => {
      const answer = await patch(MERGE, { metadata: { resourceVersion: null } }, at().path(kind.resource, "patched"));
      expect(answer.code).toBe(422);
      expect(answer.body.details).toMatchObject({ kind: "widgets", causes: [{ field: "metadata.resourceVersion" }] });
    });

    test("strict validation shows a strategic merge as Go prints it", async () => {
      const answer = await patch(STRATEGIC, { surprise: { b: 1, a: ["x"] } }, `${path()}?fieldValidation=Strict`);
      expect(answer.code).toBe(422);
      expect(answer.body.message).toContain(
        '"map[surprise:map[a:[x] b:1]]": strict decoding error: unknown field "surprise"',
      );
    });
  });
}
