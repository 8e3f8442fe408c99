import { describe, expect, test } from "vitest";
import { expectCode, scopeOf } from "../../scope.ts";
import type { ConformanceTarget } from "../../target.ts";

export function createCases(target: () => ConformanceTarget): void {
  describe("create", () => {
    const at = scopeOf(target);
    const post = (resource: string, body: unknown) => at().rest("POST", at().path(resource), body);

    test("the server sets uid, creationTimestamp, resourceVersion and namespace", async () => {
      const { metadata } = await at().create("configmaps", { metadata: { name: "identity" } });
      expect(metadata).toMatchObject({
        name: "identity",
        namespace: at().namespace,
        uid: expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/),
        resourceVersion: expect.stringMatching(/^[1-9]\d*$/),
        creationTimestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
      });
    });

    test("the answer carries kind and apiVersion even when the request did not", async () => {
      const created = await at().create("configmaps", { metadata: { name: "typed" } });
      expect(created).toMatchObject({ apiVersion: "v1", kind: "ConfigMap" });
    });

    test("a uid and a creationTimestamp of the client's are not taken", async () => {
      const invented = { uid: "11111111-1111-1111-1111-111111111111", creationTimestamp: "2001-01-01T00:00:00Z" };
      const { metadata } = await at().create("configmaps", { metadata: { name: "invented", ...invented } });
      expect(metadata?.uid).not.toBe(invented.uid);
      expect(metadata?.creationTimestamp).not.toBe(invented.creationTimestamp);
    });

    test("a resourceVersion must not be set", async () => {
      const { code, body } = await post("configmaps", { metadata: { name: "versioned", resourceVersion: "1" } });
      expect(code).toBe(500);
      expect(body.message).toBe("resourceVersion should not be set on objects to be created");
    });

    test("a deletionTimestamp of the client's is not taken", async () => {
      const deletionTimestamp = "2001-01-01T00:00:00Z";
      const { metadata } = await at().create("configmaps", { metadata: { name: "doomed", deletionTimestamp } });
      expect(metadata?.deletionTimestamp).toBeUndefined();
    });

    test("labels, annotations and ownerReferences are kept", async () => {
      const owner = { apiVersion: "v1", kind: "ConfigMap", name: "owner", uid: "a-uid" };
      const metadata = {
        name: "adorned",
        labels: { app: "etcd" },
        annotations: { "example.com/note": "any text" },
        ownerReferences: [owner],
      };
      const created = await at().create("configmaps", { metadata });
      expect(created.metadata).toMatchObject(metadata);
    });

    test("a name that is taken is refused with 409 AlreadyExists", async () => {
      await at().create("configmaps", { metadata: { name: "twice" } });
      const { code, body } = await post("configmaps", { metadata: { name: "twice" } });
      expect(code).toBe(409);
      expect(body).toMatchObject({
        kind: "Status",
        status: "Failure",
        reason: "AlreadyExists",
        message: 'configmaps "twice" already exists',
        details: { name: "twice", kind: "configmaps" },
      });
    });

    test("the name of a kind in a group is told with the group", async () => {
      const lease = { metadata: { name: "twice" } };
      await at().create("coordination.k8s.io/v1/leases", lease);
      const { body } = await post("coordination.k8s.io/v1/leases", lease);
      expect(body).toMatchObject({
        message: 'leases.coordination.k8s.io "twice" already exists',
        details: { name: "twice", group: "coordination.k8s.io", kind: "leases" },
      });
    });

    test("generateName makes a name of its prefix and five letters and digits", async () => {
      const names = new Set<string | undefined>();
      for (let count = 0; count < 3; count += 1) {
        const { metadata } = await at().create("configmaps", { metadata: { generateName: "member-" } });
        expect(metadata).toMatchObject({
          name: expect.stringMatching(/^member-[a-z0-9]{5}$/),
          generateName: "member-",
        });
        names.add(metadata?.name);
      }
      expect(names.size).toBe(3);
    });

    test("a name wins over a generateName", async () => {
      const { metadata } = await at().create("configmaps", { metadata: { name: "given", generateName: "made-" } });
      expect(metadata?.name).toBe("given");
    });

    test("without name and generateName it is refused with 422", async () => {
      const { code, body } = await post("configmaps", { apiVersion: "v1", kind: "ConfigMap", metadata: {} });
      expect(code).toBe(422);
      expect(body).toMatchObject({
        reason: "Invalid",
        message: 'ConfigMap "" is invalid: metadata.name: Required value: name or generateName is required',
        details: {
          kind: "ConfigMap",
          causes: [{ reason: "FieldValueRequired", field: "metadata.name" }],
        },
      });
    });

    test.each(["Upper", "under_score", "-dash", "dash-", "sp ace", "a/b"])(
      "the name %j is refused with 422, its cause at metadata.name",
      async (name) => {
        const { code, body } = await post("configmaps", { metadata: { name } });
        expect(code).toBe(422);
        expect(body).toMatchObject({
          reason: "Invalid",
          details: {
            name,
            kind: "ConfigMap",
            causes: expect.arrayContaining([
              expect.objectContaining({ reason: "FieldValueInvalid", field: "metadata.name" }),
            ]),
          },
        });
      },
    );

    test("a refused name is quoted with the rule it breaks", async () => {
      const { body } = await post("configmaps", { metadata: { name: "Upper" } });
      expect(body.message).toBe(
        'ConfigMap "Upper" is invalid: metadata.name: Invalid value: "Upper": a lowercase RFC 1123 subdomain must ' +
          "consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric " +
          "character (e.g. 'example.com', regex used for validation is " +
          "'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
      );
    });

    test("the name of a Service is a DNS label that starts with a letter", async () => {
      const { code, body } = await post("services", { metadata: { name: "1st" }, spec: { ports: [{ port: 1 }] } });
      expect(code).toBe(422);
      expect(body.message).toContain("a DNS-1035 label must consist of lower case alphanumeric characters or '-'");
    });

    test("a label's value that is no label is refused", async () => {
      const { code, body } = await post("configmaps", { metadata: { name: "label", labels: { app: "no spaces" } } });
      expect(code).toBe(422);
      expect(body).toMatchObject({ details: { causes: [{ reason: "FieldValueInvalid", field: "metadata.labels" }] } });
    });

    test("a body of another kind is refused with 400", async () => {
      const { code, body } = await post("configmaps", {
        apiVersion: "v1",
        kind: "Secret",
        metadata: { name: "wrong" },
      });
      expect(code).toBe(400);
      expect(body.reason).toBe("BadRequest");
      expect(body.message).toContain('Secret in version "v1" cannot be handled as a ConfigMap');
    });

    test("a body of another version is refused with 400", async () => {
      const object = { apiVersion: "v9", kind: "ConfigMap", metadata: { name: "wrong" } };
      const { code, body } = await post("configmaps", object);
      expect(code).toBe(400);
      expect(body.message).toContain('ConfigMap in version "v9" cannot be handled as a ConfigMap');
    });

    test("a namespace in the body other than the one in the path is refused with 400", async () => {
      const { code, body } = await post("configmaps", { metadata: { name: "elsewhere", namespace: "default" } });
      expect(code).toBe(400);
      expect(body.message).toBe(
        "the namespace of the provided object does not match the namespace sent on the request",
      );
    });

    test("creating in a namespace that does not exist is a 404 about the namespace", async () => {
      const answer = await at().rest("POST", "/api/v1/namespaces/nowhere/configmaps", { metadata: { name: "lost" } });
      expect(expectCode(404, answer)).toMatchObject({
        reason: "NotFound",
        message: 'namespaces "nowhere" not found',
        details: { name: "nowhere", kind: "namespaces" },
      });
    });

    test("a status sent along is dropped where status is a subresource", async () => {
      const created = await at().create("apps/v1/deployments", {
        metadata: { name: "boastful" },
        spec: {
          selector: { matchLabels: { app: "a" } },
          template: { metadata: { labels: { app: "a" } }, spec: { containers: [{ name: "a", image: "a" }] } },
        },
        status: { readyReplicas: 7 },
      });
      expect((created.status as { readyReplicas?: number }).readyReplicas).toBeUndefined();
      expect(created.metadata?.generation).toBe(1);
    });

    test("a POST to the path of a single object is a 405", async () => {
      const { code, body } = await at().rest("POST", at().path("configmaps", "single"), {
        metadata: { name: "single" },
      });
      expect(code).toBe(405);
      expect(body.reason).toBe("MethodNotAllowed");
    });
  });
}
