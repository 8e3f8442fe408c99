import { describe, expect, test } from "vitest";
import { customKind } from "../../custom-kind.ts";
import { expectCode, scopeOf } from "../../scope.ts";
import type { ConformanceTarget, KubeObject } from "../../target.ts";

export function historyCases(target: () => ConformanceTarget): void {
  describe("history that the store has forgotten", () => {
    const at = scopeOf(target);
    const kind = customKind(target);

    test("a watch from there on is told 410 Expired in an ERROR event", async () => {
      await at().create(kind.resource, kind.widget("a"));
      await target().forgetHistory();
      const [event] = await at().events(`${at().path(kind.resource)}?watch=true&resourceVersion=1`, 1);
      expect(event).toMatchObject({
        type: "ERROR",
        object: {
          kind: "Status",
          apiVersion: "v1",
          status: "Failure",
          reason: "Expired",
          code: 410,
          message: expect.stringContaining("too old resource version: 1"),
        },
      });
    });

    test("a list of exactly that time is a 410", async () => {
      await target().forgetHistory();
      const path = `${at().path(kind.resource)}?resourceVersion=1&resourceVersionMatch=Exact`;
      expect(expectCode(410, await at().rest("GET", path))).toMatchObject({
        reason: "Expired",
        message: "The resourceVersion for the provided list is too old.",
      });
    });

    // A server may remember more than its store does; what it must not do is mix the two times.
    test("the next page of a list from that time is shown as it was, or is a 410 that offers to go on", async () => {
      for (const name of ["p1", "p2"]) await at().create("configmaps", { metadata: { name } });
      const { body: first } = await at().rest("GET", `${at().path("configmaps")}?limit=1`);
      await at().create("configmaps", { metadata: { name: "p3" } });
      await target().forgetHistory();
      const path = `${at().path("configmaps")}?continue=${first.metadata?.continue}`;
      const { code, body } = await at().rest<KubeObject & { items?: KubeObject[] }>("GET", path);
      if (code === 200) {
        expect(body.metadata?.resourceVersion).toBe(first.metadata?.resourceVersion);
        expect(body.items?.map(({ metadata }) => metadata?.name)).not.toContain("p3");
      } else {
        expect({ code, reason: body.reason }).toEqual({ code: 410, reason: "Expired" });
        expect(body.message).toContain(
          "The provided continue parameter is too old to display a consistent list result.",
        );
        expect(body.metadata?.continue).toBeTruthy();
      }
    });

    test("a list and a watch of the present go on", async () => {
      await target().forgetHistory();
      const { body } = await at().rest("GET", at().path(kind.resource));
      await at().create(kind.resource, kind.widget("after"));
      const query = `?watch=true&resourceVersion=${body.metadata?.resourceVersion}`;
      const [event] = await at().events(at().path(kind.resource) + query, 1);
      expect(event?.object.metadata?.name).toBe("after");
    });
  });
}
