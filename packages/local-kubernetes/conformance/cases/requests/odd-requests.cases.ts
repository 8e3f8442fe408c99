import { describe, expect, test } from "vitest";
import { customKind } from "../../custom-kind.ts";
import { expectCode, scopeOf } from "../../scope.ts";
import type { ConformanceTarget } from "../../target.ts";

const TABLE_V9 = "application/json;as=Table;v=v9;g=meta.k8s.io";
const MEMBERS = "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io";

/** Queries, headers, methods and options that do not belong together. */
export function oddRequestCases(target: () => ConformanceTarget): void {
  describe("odd requests", () => {
    const at = scopeOf(target);
    const kind = customKind(target);

    test.each([
      ["resourceVersion=1&resourceVersionMatch=Sometimes", "resourceVersionMatch"],
      ["resourceVersion=0&resourceVersionMatch=Exact", "resourceVersionMatch"],
      ["resourceVersion=1&resourceVersionMatch=Exact&continue=x", "resourceVersionMatch"],
      ["sendInitialEvents=true", "sendInitialEvents"],
      ["watch=true&timeoutSeconds=1&sendInitialEvents=true", "resourceVersionMatch"],
      ["watch=true&timeoutSeconds=1&continue=x", "resourceVersionMatch"],
    ])("a list with %s is invalid at %s", async (query, field) => {
      const { code, body } = await at().rest("GET", `${at().path("configmaps")}?${query}`);
      expect(code).toBe(422);
      expect(body.details).toMatchObject({ group: "meta.k8s.io", kind: "ListOptions", causes: [{ field }] });
    });

    test.each([
      ["-bad-%3Dx", "<nil>: Invalid value"],
      ["a%3D-x-", "values[0][a]: Invalid value"],
      ["a%20in%20(x,-y)", "values[0][a]: Invalid value"],
      ["a%3Ex", "for 'Gt', 'Lt' operators, the value must be an integer"],
    ])("the selector %s is refused: no object can have it", async (selector, why) => {
      const { code, body } = await at().rest("GET", `${at().path("configmaps")}?labelSelector=${selector}`);
      expect(code).toBe(400);
      expect(body.message).toContain(
        `unable to parse requirement: ${why.startsWith("for") ? "values[0]: Invalid value" : why}`,
      );
      expect(body.message).toContain(why);
    });

    test.each([
      ["pods", "field label not supported: spec.nothing"],
      ["batch/v1/jobs", 'field label "spec.nothing" not supported for Job'],
      ["configmaps", '"spec.nothing" is not a known field selector: only "metadata.name", "metadata.namespace"'],
    ])("%s are not found by an unsupported field", async (resource, message) => {
      const { code, body } = await at().rest("GET", `${at().path(resource)}?fieldSelector=spec.nothing%3Da`);
      expect([code, body.message]).toEqual([400, message]);
    });

    test("a version that is no number has no reason to be told of one object, or of a watch", async () => {
      for (const path of [at().path("configmaps", "x"), `${at().path("configmaps")}?watch=true&timeoutSeconds=1`]) {
        const query = path.includes("?") ? "&resourceVersion=x" : "?resourceVersion=x";
        const { code, body } = await at().rest("GET", `${path}${query}`);
        expect(code).toBe(500);
        expect(body.message).toBe(
          'resourceVersion: Invalid value: "x": strconv.ParseUint: parsing "x": invalid syntax',
        );
        expect(body.reason).toBeUndefined();
      }
    });

    test("an unknown form is not acceptable", async () => {
      const { code, body } = await at().rest("GET", at().path("configmaps"), undefined, {
        headers: { accept: TABLE_V9 },
      });
      expect(code).toBe(406);
      expect(body.message).toMatch(
        /^only the following media types are accepted: application\/json, application\/yaml/,
      );
    });

    test("a list is no single object", async () => {
      const { code, body } = await at().rest("GET", at().path("configmaps"), undefined, {
        headers: { accept: MEMBERS },
      });
      expect(code).toBe(406);
      const asked = "you requested PartialObjectMetadata, but the requested object is a list";
      expect(body.message).toBe(`${asked} (*core.ConfigMapList)`);
    });

    test("a list of custom resources says that it is the whole", async () => {
      const { body } = await at().rest("GET", at().path(kind.resource));
      expect(body.metadata).toMatchObject({ continue: "" });
    });

    test.each(["PUT", "PATCH"] as const)("%s of all custom resources lacks a name", async (method) => {
      const { code, body } = await at().rest(method, at().path(kind.resource), kind.widget("a"));
      expect([code, body.message]).toEqual([400, "name must be provided"]);
    });

    test("what serves custom resources has no page for others", async () => {
      for (const path of [`/apis/${kind.group}/v9/widgets`, `/apis/${kind.group}/v1/widgets/a`]) {
        const { code, text } = await at().rest("GET", path);
        expect([code, text]).toEqual([404, "404 page not found\n"]);
      }
    });

    test("a subresource that a custom kind does not have is that of an object that is not there", async () => {
      const { code, body } = await at().rest("GET", `${at().path(kind.resource, "a")}/scale`);
      expect([code, body.message]).toEqual([404, `widgets.${kind.group} "a" not found`]);
    });

    test.each([
      ["{", "couldn't get version/kind; json parse error: "],
      [
        '{"kind":"Other","apiVersion":"v1"}',
        'no kind "Other" is registered for version "v1" in scheme "pkg/runtime/scheme.go:110"',
      ],
      [
        '{"gracePeriodSeconds":"x"}',
        "json: cannot unmarshal string into Go struct field DeleteOptions.gracePeriodSeconds of type int64",
      ],
    ])("options of a deletion that are %j are an error without a reason", async (options, message) => {
      const { code, body } = await at().rest("DELETE", at().path("configmaps", "missing"), options);
      expect([code, body.message, body.reason]).toEqual([500, expect.stringContaining(message), undefined]);
    });

    test("options in the body make those in the query void", async () => {
      await at().create("configmaps", { metadata: { name: "both" } });
      const options = { kind: "DeleteOptions", apiVersion: "v1" };
      expectCode(200, await at().rest("DELETE", `${at().path("configmaps", "both")}?dryRun=Nothing`, options));
    });

    test("who orphans and says how to propagate contradicts himself", async () => {
      const query = "?orphanDependents=true&propagationPolicy=Background";
      const { code, body } = await at().rest("DELETE", `${at().path("configmaps", "missing")}${query}`);
      expect(code).toBe(422);
      expect(body.message).toContain("orphanDependents and deletionPropagation cannot be both set");
    });

    test("an object that has no namespace loses the one that it was sent with", async () => {
      const name = `no-namespace-${at().namespace}`;
      const metadata = { name, namespace: at().namespace };
      const path = "/apis/scheduling.k8s.io/v1/priorityclasses";
      const object = expectCode(201, await at().rest("POST", path, { metadata, value: 1 }));
      expect(object.metadata?.namespace).toBeUndefined();
      await at().rest("DELETE", `${path}/${name}`);
    });

    test("Endpoints are served with a warning", async () => {
      const { headers } = await at().rest("GET", at().path("endpoints"));
      expect(headers.warning).toContain("v1 Endpoints is deprecated in v1.33+");
    });
  });
}
