import { describe, expect, test } from "vitest";
import { expectCode, scopeOf } from "../../scope.ts";
import type { ConformanceTarget } from "../../target.ts";

const WRITERS = Array.from({ length: 24 }, (_, index) => `w${index}`);

export function parallelWriteCases(target: () => ConformanceTarget): void {
  describe("many who write an object at once", () => {
    const at = scopeOf(target);
    const keysOf = async (name: string) => Object.keys((await at().get("configmaps", name)).data as object).sort();

    test("all succeed with patches that name no version", async () => {
      await at().create("configmaps", { metadata: { name: "patched" } });
      const path = at().path("configmaps", "patched");
      const contentType = "application/merge-patch+json";
      const answers = await Promise.all(
        WRITERS.map((writer) => at().rest("PATCH", path, { data: { [writer]: "1" } }, { contentType })),
      );
      for (const answer of answers) expectCode(200, answer);
      expect(await keysOf("patched")).toEqual([...WRITERS].sort());
    });

    test("one wins when they all name the same version", async () => {
      const object = await at().create("configmaps", { metadata: { name: "replaced" } });
      const path = at().path("configmaps", "replaced");
      const answers = await Promise.all(
        WRITERS.map((writer) => at().rest("PUT", path, { ...object, data: { [writer]: "1" } })),
      );
      expect(answers.map(({ code }) => code).sort()).toEqual([200, ...WRITERS.slice(1).map(() => 409)]);
    });
  });
}
