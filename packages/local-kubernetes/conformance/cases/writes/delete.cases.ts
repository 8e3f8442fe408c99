import { describe, expect, test } from "vitest";
import { expectCode, scopeOf } from "../../scope.ts";
import type { ConformanceTarget, KubeObject } from "../../target.ts";

export function deleteCases(target: () => ConformanceTarget): void {
  describe("delete", () => {
    const at = scopeOf(target);
    const configMap = (metadata: { name: string; finalizers?: string[] }) => at().create("configmaps", { metadata });
    const remove = (name: string, options?: unknown, query = "") =>
      at().rest("DELETE", `${at().path("configmaps", name)}${query}`, options);

    test("the answer is a Status of success that tells name, kind and uid", async () => {
      const { metadata } = await configMap({ name: "plain" });
      expect(expectCode(200, await remove("plain"))).toMatchObject({
        kind: "Status",
        apiVersion: "v1",
        status: "Success",
        details: { name: "plain", kind: "configmaps", uid: metadata?.uid },
      });
      expect((await at().rest("GET", at().path("configmaps", "plain"))).code).toBe(404);
    });

    test("an object that does not exist is a 404", async () => {
      const { code, body } = await remove("none");
      expect(code).toBe(404);
      expect(body).toMatchObject({ reason: "NotFound", message: 'configmaps "none" not found' });
    });

    test("a name can be used again at once, for an object with another uid", async () => {
      const first = await configMap({ name: "again" });
      await remove("again");
      const second = await configMap({ name: "again" });
      expect(second.metadata?.uid).not.toBe(first.metadata?.uid);
    });

    test("a precondition on the uid protects an object that took the name over", async () => {
      const { metadata } = await configMap({ name: "other" });
      const { code, body } = await remove("other", { preconditions: { uid: "another" } });
      expect(code).toBe(409);
      expect(body.reason).toBe("Conflict");
      expect(body.message).toBe(
        'Operation cannot be fulfilled on ConfigMap "other": the UID in the precondition (another) does not match the ' +
          `UID in record (${metadata?.uid}). The object might have been deleted and then recreated`,
      );
      expect((await remove("other", { preconditions: { uid: metadata?.uid } })).code).toBe(200);
    });

    test("a precondition on the resourceVersion protects an object that was changed", async () => {
      const { metadata } = await configMap({ name: "changed" });
      const resourceVersion = metadata?.resourceVersion;
      await at().rest("PATCH", at().path("configmaps", "changed"), { data: { a: "1" } });
      const { code, body } = await remove("changed", { preconditions: { resourceVersion } });
      expect(code).toBe(409);
      expect(body.message).toContain(`the ResourceVersion in the precondition (${resourceVersion}) does not match`);
    });

    test("finalizers keep an object, marked with a deletionTimestamp, until the last one is removed", async () => {
      const { metadata } = await configMap({ name: "held", finalizers: ["example.com/a", "example.com/b"] });
      const body = expectCode(200, await remove("held"));
      expect(body).toMatchObject({ kind: "ConfigMap", metadata: { uid: metadata?.uid } });
      const held = await at().get("configmaps", "held");
      expect(held.metadata).toMatchObject({ deletionTimestamp: expect.any(String), deletionGracePeriodSeconds: 0 });

      const path = at().path("configmaps", "held");
      await at().rest("PATCH", path, { metadata: { finalizers: ["example.com/b"] } });
      expect((await at().rest("GET", path)).code).toBe(200);
      expectCode(200, await at().rest("PATCH", path, { metadata: { finalizers: null } }));
      expect((await at().rest("GET", path)).code).toBe(404);
    });

    test("an object that is being deleted can be changed, and takes no new finalizers", async () => {
      await configMap({ name: "dying", finalizers: ["example.com/a"] });
      await remove("dying");
      const path = at().path("configmaps", "dying");
      expect(expectCode(200, await at().rest("PATCH", path, { data: { a: "1" } })).data).toEqual({ a: "1" });
      const finalizers = ["example.com/a", "example.com/new"];
      const { code, body } = await at().rest("PATCH", path, { metadata: { finalizers } });
      expect(code).toBe(422);
      expect(body).toMatchObject({
        details: {
          causes: expect.arrayContaining([
            expect.objectContaining({ reason: "FieldValueForbidden", field: "metadata.finalizers" }),
          ]),
        },
      });
      expect(body.message).toContain(
        "no new finalizers can be added if the object is being deleted, found new finalizers",
      );
      await at().rest("PATCH", path, { metadata: { finalizers: null } });
    });

    test("deleting what is being deleted changes nothing", async () => {
      await configMap({ name: "twice", finalizers: ["example.com/a"] });
      await remove("twice");
      const before = await at().get("configmaps", "twice");
      expectCode(200, await remove("twice"));
      const after = await at().get("configmaps", "twice");
      expect(after.metadata?.resourceVersion).toBe(before.metadata?.resourceVersion);
      await at().rest("PATCH", at().path("configmaps", "twice"), { metadata: { finalizers: null } });
    });

    test("a propagationPolicy that does not exist is refused with 422", async () => {
      await configMap({ name: "sideways" });
      const { code, body } = await remove("sideways", undefined, "?propagationPolicy=Sideways");
      expect(code).toBe(422);
      expect(body).toMatchObject({
        details: { kind: "DeleteOptions", causes: [{ reason: "FieldValueNotSupported", field: "propagationPolicy" }] },
      });
    });

    test.each([
      ["Foreground", "foregroundDeletion"],
      ["Orphan", "orphan"],
    ])("the propagation policy %s marks the object with the finalizer %s", async (policy, finalizer) => {
      // A finalizer of our own, so that no controller ends the object before we have looked.
      const name = policy.toLowerCase();
      const { metadata } = await configMap({ name, finalizers: ["example.com/hold"] });
      await remove(name, { propagationPolicy: policy });
      const path = at().path("configmaps", name);
      // The garbage collector may already have removed its finalizer: check the first change.
      const query = `?watch=1&fieldSelector=metadata.name%3D${name}&resourceVersion=${metadata?.resourceVersion}`;
      const seen = await at().events(`${at().path("configmaps")}${query}`, 1);
      expect(seen[0]?.object.metadata?.finalizers).toEqual(["example.com/hold", finalizer]);
      await at().rest("PATCH", path, { metadata: { finalizers: null } });
    });
  });

  describe("deletecollection", () => {
    const at = scopeOf(target);

    test("it deletes what the selector finds, and answers with the list", async () => {
      for (const [name, app] of Object.entries({ a: "x", b: "x", c: "y" })) {
        await at().create("configmaps", { metadata: { name, labels: { app } } });
      }
      const body = expectCode(200, await at().rest("DELETE", `${at().path("configmaps")}?labelSelector=app%3Dx`));
      expect(body.kind).toBe("ConfigMapList");
      expect((body.items as KubeObject[]).map(({ metadata }) => metadata?.name)).toEqual(["a", "b"]);
      const { body: left } = await at().rest("GET", `${at().path("configmaps")}?labelSelector=app`);
      expect((left.items as KubeObject[]).map(({ metadata }) => metadata?.name)).toEqual(["c"]);
    });

    test("a field selector narrows it down to one", async () => {
      for (const name of ["one", "two"]) await at().create("secrets", { metadata: { name } });
      expectCode(200, await at().rest("DELETE", `${at().path("secrets")}?fieldSelector=metadata.name%3Done`));
      expect((await at().rest("GET", at().path("secrets", "one"))).code).toBe(404);
      expect((await at().rest("GET", at().path("secrets", "two"))).code).toBe(200);
    });

    test("objects with finalizers stay, marked for deletion", async () => {
      const metadata = { name: "held", labels: { held: "yes" }, finalizers: ["example.com/a"] };
      await at().create("configmaps", { metadata });
      expectCode(200, await at().rest("DELETE", `${at().path("configmaps")}?labelSelector=held`));
      expect((await at().get("configmaps", "held")).metadata?.deletionTimestamp).toBeTruthy();
      await at().rest("PATCH", at().path("configmaps", "held"), { metadata: { finalizers: null } });
    });

    test("it is a 405 for kinds that cannot be deleted at once", async () => {
      expect((await at().rest("DELETE", "/api/v1/namespaces")).code).toBe(405);
    });
  });
}
