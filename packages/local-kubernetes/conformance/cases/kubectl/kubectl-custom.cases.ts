import { until } from "@etcd-operator/testing/until.ts";
import { beforeAll, describe, expect, test } from "vitest";
import { customKind } from "../../custom-kind.ts";
import { scopeOf } from "../../scope.ts";
import type { ConformanceTarget } from "../../target.ts";

const spec = {
  type: "object",
  description: "What is wanted.",
  properties: { size: { type: "integer", minimum: 1, maximum: 7, description: "How many there are to be." } },
};

const status = { type: "object", "x-kubernetes-preserve-unknown-fields": true };

export function kubectlCustomCases(target: () => ConformanceTarget): void {
  describe("kubectl and custom resources", () => {
    const at = scopeOf(target);
    const kind = customKind(target, {
      names: { shortNames: ["wdg"], categories: ["all"] },
      schema: { description: "A widget.", properties: { spec, status } },
      version: {
        subresources: { status: {}, scale: { specReplicasPath: ".spec.size", statusReplicasPath: ".status.size" } },
        additionalPrinterColumns: [{ name: "Size", type: "integer", jsonPath: ".spec.size" }],
      },
    });
    const kubectl = (args: readonly string[], input?: string) => at().kubectlOk(args, input);
    const yaml = (name: string, spec: object) => JSON.stringify(kind.widget(name, { spec }));

    beforeAll(async () => {
      const published = async () => (await target().rest("GET", `/openapi/v3/apis/${kind.group}/v1`)).code === 200;
      await until(published, { what: "the schema to be published" });
      const known = async () => (await at().kubectl(["get", `widgets.${kind.group}`])).code === 0;
      await until(known, { what: "kubectl to find the kind" });
    });

    test("apply creates, changes, and removes a field that is no longer named", async () => {
      expect(await kubectl(["apply", "-f", "-"], yaml("applied", { size: 3 }))).toBe(
        `widget.${kind.group}/applied created\n`,
      );
      expect(await kubectl(["apply", "-f", "-"], yaml("applied", {}))).toBe(
        `widget.${kind.group}/applied configured\n`,
      );
      expect((await at().get(kind.resource, "applied")).spec).toEqual({});
    });

    test("apply of a misspelt field is refused and says which", async () => {
      const { code, stderr } = await at().kubectl(["apply", "-f", "-"], yaml("misspelt", { sise: 3 }));
      expect(code).toBe(1);
      expect(stderr).toContain('strict decoding error: unknown field "spec.sise"');
    });

    test("apply of a value that the schema refuses says why", async () => {
      const { stderr } = await at().kubectl(["apply", "-f", "-"], yaml("too-large", { size: 9 }));
      expect(stderr).toBe(
        `The Widget "too-large" is invalid: spec.size: Invalid value: 9: spec.size in body should be less than or equal to 7\n`,
      );
    });

    test("get by short name prints the columns of the CRD", async () => {
      await at().create(kind.resource, kind.widget("printed", { spec: { size: 5 } }));
      const [header = "", row = ""] = (await kubectl(["get", "wdg", "printed"])).split("\n");
      expect(header.split(/\s+/)).toEqual(["NAME", "SIZE"]);
      expect(row.split(/\s+/)).toEqual(["printed", "5"]);
    });

    test("get all includes the category's custom resources", async () => {
      await at().create(kind.resource, kind.widget("of-all", { spec: { size: 1 } }));
      expect(await kubectl(["get", "all"])).toContain(`widget.${kind.group}/of-all`);
    });

    test("scale changes the size, and is refused what the schema refuses", async () => {
      await at().create(kind.resource, kind.widget("scaled", { spec: { size: 3 } }));
      expect(await kubectl(["scale", "wdg", "scaled", "--replicas=5"])).toBe(`widget.${kind.group}/scaled scaled\n`);
      expect((await at().get(kind.resource, "scaled")).spec).toEqual({ size: 5 });
      const { stderr } = await at().kubectl(["scale", "wdg", "scaled", "--replicas=9"]);
      expect(stderr).toContain("should be less than or equal to 7");
    });

    test("patch --subresource=status writes the status, which wait sees", async () => {
      await at().create(kind.resource, kind.widget("reported", { spec: { size: 1 } }));
      const waiting = at().kubectl(["wait", "wdg/reported", "--for=condition=Available", "--timeout=20s"]);
      const patch = JSON.stringify({ status: { conditions: [{ type: "Available", status: "True" }] } });
      await kubectl(["patch", "wdg", "reported", "--subresource=status", "--type=merge", "-p", patch]);
      expect((await waiting).stdout).toBe(`widget.${kind.group}/reported condition met\n`);
    });

    test("describe prints its fields", async () => {
      await at().create(kind.resource, kind.widget("described", { spec: { size: 4 } }));
      expect(await kubectl(["describe", "wdg", "described"])).toMatch(/^Spec:\n {2}Size:\s+4$/m);
    });

    test("explain prints the descriptions of the schema", async () => {
      const explained = () => kubectl(["explain", `widgets.${kind.group}.spec`]).catch(() => undefined);
      const printed = await until(explained, { what: "kubectl explain to know the kind" });
      expect(printed).toContain("What is wanted.");
      expect(printed).toMatch(/size\s+<integer>/);
      expect(await kubectl(["explain", `widgets.${kind.group}.spec.size`])).toContain("How many there are to be.");
    });

    test("api-resources lists the kind with its short name", async () => {
      const printed = await kubectl(["api-resources", `--api-group=${kind.group}`]);
      expect(printed).toMatch(/^widgets\s+wdg\s+\S+\/v1\s+true\s+Widget$/m);
    });

    test("wait sees that a CRD is Established", async () => {
      const args = ["wait", `crd/widgets.${kind.group}`, "--for=condition=Established", "--timeout=20s"];
      expect(await kubectl(args)).toBe(
        `customresourcedefinition.apiextensions.k8s.io/widgets.${kind.group} condition met\n`,
      );
    });

    test("delete waits for finalizers", async () => {
      const metadata = { name: "held", finalizers: ["example.com/a"] };
      await at().create(kind.resource, { ...kind.widget("held", { spec: {} }), metadata });
      const deleting = at().kubectl(["delete", "wdg", "held", "--timeout=20s"]);
      const marked = async () => (await at().get(kind.resource, "held")).metadata?.deletionTimestamp;
      await until(marked, { what: "the mark of deletion" });
      await at().rest("PATCH", at().path(kind.resource, "held"), { metadata: { finalizers: null } });
      expect((await deleting).code).toBe(0);
    });
  });
}
