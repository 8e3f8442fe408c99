import { describe, expect, test } from "vitest";
import { expectCode, scopeOf } from "../../scope.ts";
import type { Answer, ConformanceTarget } from "../../target.ts";

// No scheduler has this name, so the pods of these cases stay unscheduled.
const schedulerName = "none";
const contentType = "application/json-patch+json";
const frozen = "spec: Forbidden: pod updates may not change fields other than `spec.containers[*].image`";

interface Change {
  readonly op: "add" | "replace" | "remove";
  readonly path: string;
  readonly value?: unknown;
}

const replace = (path: string, value: unknown): Change => ({ op: "replace", path, value });
const add = (path: string, value: unknown): Change => ({ op: "add", path, value });

export function podUpdateCases(target: () => ConformanceTarget): void {
  describe("a pod that is changed", () => {
    const at = scopeOf(target);

    async function create(name: string, spec: object = {}): Promise<(...changes: Change[]) => Promise<Answer>> {
      const containers = [{ name: "etcd", image: "etcd:1" }];
      const initContainers = [{ name: "init", image: "busybox:1" }];
      const given = { schedulerName, nodeName: "a-node", initContainers, containers, ...spec };
      await at().create("pods", { metadata: { name, labels: { a: "1" } }, spec: given });
      return (...changes) => at().rest("PATCH", at().path("pods", name), changes, { contentType });
    }

    test("takes new images of its containers and init containers, which count as a new generation", async () => {
      const patch = await create("images");
      const one = expectCode(200, await patch(replace("/spec/containers/0/image", "etcd:2")));
      expect(one).toMatchObject({ metadata: { generation: 2 }, spec: { containers: [{ image: "etcd:2" }] } });
      const two = expectCode(200, await patch(replace("/spec/initContainers/0/image", "busybox:2")));
      expect(two).toMatchObject({ metadata: { generation: 3 }, spec: { initContainers: [{ image: "busybox:2" }] } });
      const back = expectCode(200, await patch(replace("/spec/containers/0/image", "etcd:1")));
      expect(back.metadata?.generation).toBe(4);
    });

    test("takes new labels and annotations, which are no new generation", async () => {
      const patch = await create("metadata");
      const changes = [replace("/metadata/labels", { b: "2" }), add("/metadata/annotations", { c: "3" })];
      const pod = expectCode(200, await patch(...changes));
      expect(pod.metadata).toMatchObject({ generation: 1, labels: { b: "2" }, annotations: { c: "3" } });
    });

    test("keeps its status, whatever an update of the rest says about it", async () => {
      const patch = await create("status");
      const status = { phase: "Running", conditions: [{ type: "Ready", status: "True" }] };
      expectCode(200, await at().rest("PATCH", at().path("pods", "status/status"), { status }));
      const changes = [replace("/spec/containers/0/image", "etcd:2"), replace("/status/phase", "Failed")];
      expect(expectCode(200, await patch(...changes)).status).toMatchObject(status);
    });

    test.each([
      ["an empty image", replace("/spec/containers/0/image", ""), "spec.containers[0].image: Required value"],
      [
        "an image with blanks around it",
        replace("/spec/containers/0/image", " etcd:2"),
        'spec.containers[0].image: Invalid value: " etcd:2": must not have leading or trailing whitespace',
      ],
      [
        "one more container",
        add("/spec/containers/-", { name: "more", image: "a" }),
        "spec.containers: Forbidden: pod updates may not add or remove containers",
      ],
      [
        "no init containers",
        { op: "remove", path: "/spec/initContainers" } as const,
        "spec.initContainers: Forbidden: pod updates may not add or remove containers",
      ],
      ["another name of a container", replace("/spec/containers/0/name", "other"), frozen],
      ["another command", add("/spec/containers/0/command", ["etcd"]), frozen],
      ["another environment", add("/spec/containers/0/env", [{ name: "a", value: "b" }]), frozen],
      ["other resources", add("/spec/containers/0/resources", { requests: { cpu: "1" } }), frozen],
      ["another pull policy", replace("/spec/containers/0/imagePullPolicy", "Always"), frozen],
      ["a readiness gate", add("/spec/readinessGates", [{ conditionType: "a" }]), frozen],
      ["another grace period", replace("/spec/terminationGracePeriodSeconds", 1), frozen],
      ["another volume", add("/spec/volumes/0", { name: "a", emptyDir: {} }), frozen],
    ])("refuses %s", async (what, change, message) => {
      const patch = await create(what.replaceAll(" ", "-"));
      const { code, body } = await patch(change);
      expect(code).toBe(422);
      expect(body.reason).toBe("Invalid");
      expect(body.message).toContain(message);
    });

    test("refuses a change of the spec beside a new image, and takes neither", async () => {
      const patch = await create("both");
      const changes = [replace("/spec/containers/0/image", "etcd:2"), add("/spec/containers/0/args", ["a"])];
      expect((await patch(...changes)).code).toBe(422);
      expect((await at().get("pods", "both")).spec).toMatchObject({ containers: [{ image: "etcd:1" }] });
    });

    test("takes a deadline, and only ever an earlier one", async () => {
      const patch = await create("deadline");
      expectCode(200, await patch(add("/spec/activeDeadlineSeconds", 100)));
      expectCode(200, await patch(add("/spec/activeDeadlineSeconds", 50)));
      const later = await patch(add("/spec/activeDeadlineSeconds", 60));
      expect(later.body.message).toContain("Invalid value: 60: must be less than or equal to previous value");
      const none = await patch({ op: "remove", path: "/spec/activeDeadlineSeconds" });
      expect(none.body.message).toContain("must not update from a positive integer to nil value");
    });

    test("takes more tolerations and other times, and loses none", async () => {
      const own = { key: "k", operator: "Equal", value: "v", effect: "NoExecute", tolerationSeconds: 9 };
      const patch = await create("tolerations", { tolerations: [own] });
      expectCode(200, await patch(add("/spec/tolerations/-", { key: "more", operator: "Exists" })));
      expectCode(200, await patch(replace("/spec/tolerations/0/tolerationSeconds", 5)));
      const { code, body } = await patch({ op: "remove", path: "/spec/tolerations" });
      expect(code).toBe(422);
      expect(body.message).toContain(
        "spec.tolerations: Forbidden: existing toleration can not be modified except its tolerationSeconds",
      );
    });

    test("gets those tolerations again that every pod has", async () => {
      const patch = await create("short-outages");
      const pod = expectCode(200, await patch({ op: "remove", path: "/spec/tolerations" }));
      expect(pod.spec).toMatchObject({
        tolerations: [{ key: "node.kubernetes.io/not-ready" }, { key: "node.kubernetes.io/unreachable" }],
      });
    });
  });
}
