import { describe, expect, test } from "vitest";
import { customKind } from "../../custom-kind.ts";
import { expectCode, scopeOf } from "../../scope.ts";
import type { ConformanceTarget } from "../../target.ts";

/** Bodies that cannot be read, or say something else than the path. */
export function oddBodyCases(target: () => ConformanceTarget): void {
  describe("odd bodies", () => {
    const at = scopeOf(target);
    const kind = customKind(target);

    test.each([
      // The words of a JSON parser are its own.
      ["{", ""],
      ["x", ""],
      ["{} {}", ""],
      ["[]", "json: cannot unmarshal array into "],
      ["1", "json: cannot unmarshal number into "],
      ['{"kind":5}', "json: cannot unmarshal number into Go struct field .kind of type string"],
    ])("%j is refused with what is wrong in it", async (body, why) => {
      const { code, body: refusal } = await at().rest("POST", at().path("configmaps"), body);
      expect(code).toBe(400);
      const what = "the object provided is unrecognized (must be of type ConfigMap)";
      expect(refusal.message).toContain(`${what}: couldn't get version/kind; json parse error: ${why}`);
    });

    test.each([
      [{ data: 5 }, "cannot unmarshal number into Go struct field ConfigMap.data of type map[string]string"],
      [{ data: { a: 5 } }, "cannot unmarshal number into Go struct field ConfigMap.data of type string"],
      [{ metadata: [] }, "cannot unmarshal array into Go struct field ConfigMap.metadata of type v1.ObjectMeta"],
      [
        { metadata: { finalizers: "x" } },
        "cannot unmarshal string into Go struct field ObjectMeta.metadata.finalizers of type []string",
      ],
      [
        { metadata: { generation: 1.5 } },
        "cannot unmarshal number 1.5 into Go struct field ObjectMeta.metadata.generation of type int64",
      ],
    ])("%j is refused with the field and its type", async (body, why) => {
      const { code, body: refusal } = await at().rest("POST", at().path("configmaps"), body);
      expect(code).toBe(400);
      expect(refusal.message).toBe(`ConfigMap in version "v1" cannot be handled as a ConfigMap: json: ${why}`);
    });

    test("another kind of the same version is no conversion away", async () => {
      const { code, body } = await at().rest("POST", at().path("configmaps"), { kind: "Pod", apiVersion: "v1" });
      expect(code).toBe(400);
      expect(body.message).toContain("converting (v1.Pod) to (core.ConfigMap): unknown conversion");
    });

    test("a custom resource has to say what it is", async () => {
      const { code, body } = await at().rest("POST", at().path(kind.resource), {});
      expect(code).toBe(400);
      expect(body.message).toContain("Object 'Kind' is missing in '{}'");
    });

    test("a custom resource of another version is refused", async () => {
      const { code, body } = await at().rest("POST", at().path(kind.resource), { kind: "Widget", apiVersion: "x/v9" });
      expect(code).toBe(400);
      const expected = `${kind.group}/v1`;
      expect(body.message).toBe(
        `the API version in the data (x/v9) does not match the expected API version (${expected})`,
      );
    });

    test("a custom resource of another kind is invalid", async () => {
      const { code, body } = await at().rest("POST", at().path(kind.resource), { ...kind.widget("a"), kind: "Other" });
      expect(code).toBe(422);
      expect(body.message).toBe(`Other.${kind.group} "a" is invalid: kind: Invalid value: "Other": must be Widget`);
    });

    test("metadata of a custom resource is typed, whatever its schema says", async () => {
      const odd = kind.widget("a", { metadata: { name: "a", labels: { a: 5 } } as never });
      const { code, body } = await at().rest("POST", at().path(kind.resource), odd);
      expect(code).toBe(400);
      expect(body.message).toContain(
        "json: cannot unmarshal number into Go struct field ObjectMeta.labels of type string",
      );
    });

    test("a version that is no number does not keep an object from being created", async () => {
      const metadata = { name: "no-number", resourceVersion: "x" };
      expectCode(201, await at().rest("POST", at().path("configmaps"), { metadata }));
    });

    test("a name that is still being deleted is told so", async () => {
      const object = kind.widget("going", { metadata: { name: "going", finalizers: ["example.com/hold"] } });
      await at().create(kind.resource, object);
      await at().rest("DELETE", at().path(kind.resource, "going"));
      const { code, body } = await at().rest("POST", at().path(kind.resource), object);
      expect(code).toBe(409);
      expect(body.message).toBe(`object is being deleted: widgets.${kind.group} "going" already exists`);
      const release = { metadata: { finalizers: null } };
      await at().rest("PATCH", at().path(kind.resource, "going"), release);
    });
  });
}
