import { describe, expect, test } from "vitest";
import { scopeOf } from "../../scope.ts";
import type { ConformanceTarget } from "../../target.ts";

const container = (name: string) => ({ name, image: "busybox" });

// No kubelet is needed: what is asked for here is refused before one is asked.
export function connectionCases(target: () => ConformanceTarget): void {
  describe("a connection to a pod", () => {
    const at = scopeOf(target);
    const pod = (name: string, spec: object = {}) =>
      at().create("pods", {
        metadata: { name },
        spec: { containers: [container("main")], schedulerName: "none", ...spec },
      });
    const ask = async (name: string, connection: string, method: "GET" | "POST" | "PUT" | "DELETE" = "GET") => {
      const { code, body } = await at().rest(method, at().path("pods", `${name}/${connection}`));
      return [code, body.reason, body.message];
    };

    test.each(["exec", "log"])("%s of a pod that does not exist is 404", async (connection) => {
      expect(await ask("none", connection)).toEqual([404, "NotFound", 'pods "none" not found']);
    });

    test("to one that has no node yet is refused", async () => {
      await pod("unscheduled");
      const refusal = [400, "BadRequest", "pod unscheduled does not have a host assigned"];
      for (const method of ["GET", "POST"] as const) expect(await ask("unscheduled", "exec", method)).toEqual(refusal);
    });

    test("to one whose node is unknown is refused", async () => {
      await pod("lost", { nodeName: "no-such-node" });
      // It is the node that is missing; this is what users read all the same.
      for (const connection of ["exec", "log"])
        expect(await ask("lost", connection), connection).toEqual([404, "NotFound", 'pods "no-such-node" not found']);
    });

    test("needs a container where there are several, and one that exists", async () => {
      await pod("two", { containers: [container("a"), container("b")] });
      const choose = "a container name must be specified for pod two, choose one of: [a b]";
      expect(await ask("two", "exec")).toEqual([400, "BadRequest", choose]);
      const unknown = "container none is not valid for pod two";
      expect(await ask("two", "exec?container=none")).toEqual([400, "BadRequest", unknown]);
    });

    test("is neither changed nor deleted", async () => {
      await pod("fixed");
      for (const method of ["PUT", "DELETE"] as const) {
        const [code, reason] = await ask("fixed", "exec", method);
        expect([code, reason]).toEqual([405, "MethodNotAllowed"]);
      }
    });

    test("is found by discovery", async () => {
      const { body } = await at().rest<{ resources: { name: string; kind: string; verbs: string[] }[] }>(
        "GET",
        "/api/v1",
      );
      const found = body.resources.filter(({ name }) => name === "pods/exec");
      expect(found.map(({ kind, verbs }) => [kind, [...verbs].sort()])).toEqual([
        ["PodExecOptions", ["create", "get"]],
      ]);
    });
  });
}
