import { describe, expect, test } from "vitest";
import { expectCode, scopeOf } from "../../scope.ts";
import type { ConformanceTarget, KubeObject } from "../../target.ts";

interface PodSpec {
  readonly containers: { volumeMounts?: { name: string; mountPath: string }[]; [field: string]: unknown }[];
  readonly volumes?: { name: string; projected?: unknown }[];
  readonly tolerations: object[];
  readonly [field: string]: unknown;
}

// No scheduler has this name, so the pods of these cases stay unscheduled.
const schedulerName = "none";
const container = { name: "etcd", image: "quay.io/coreos/etcd:v3.5.16" };

export function podDefaultCases(target: () => ConformanceTarget): void {
  describe("a new pod", () => {
    const at = scopeOf(target);
    const create = (name: string, spec: object = {}) =>
      at().create("pods", { metadata: { name }, spec: { containers: [container], schedulerName, ...spec } });
    const specOf = ({ spec }: KubeObject) => spec as PodSpec;

    test("is filled in with the defaults of Kubernetes", async () => {
      const pod = await at().create("pods", { metadata: { name: "defaults" }, spec: { containers: [container] } });
      expect(pod.spec).toMatchObject({
        restartPolicy: "Always",
        terminationGracePeriodSeconds: 30,
        dnsPolicy: "ClusterFirst",
        serviceAccountName: "default",
        serviceAccount: "default",
        schedulerName: "default-scheduler",
        enableServiceLinks: true,
        priority: 0,
        preemptionPolicy: "PreemptLowerPriority",
        securityContext: {},
      });
      expect(pod.status).toMatchObject({ phase: "Pending", qosClass: "BestEffort" });
    });

    test("has containers filled in with the defaults of Kubernetes", async () => {
      const probe = { httpGet: { path: "/health", port: 2379 } };
      const ports = [{ containerPort: 2379 }];
      const pod = await create("containers", { containers: [{ ...container, ports, livenessProbe: probe }] });
      expect(specOf(pod).containers[0]).toMatchObject({
        resources: {},
        terminationMessagePath: "/dev/termination-log",
        terminationMessagePolicy: "File",
        imagePullPolicy: "IfNotPresent",
        ports: [{ containerPort: 2379, protocol: "TCP" }],
        livenessProbe: {
          httpGet: { path: "/health", port: 2379, scheme: "HTTP" },
          timeoutSeconds: 1,
          periodSeconds: 10,
          successThreshold: 1,
          failureThreshold: 3,
        },
      });
    });

    test.each([
      ["etcd", "Always"],
      ["etcd:latest", "Always"],
      ["etcd:v3.5.16", "IfNotPresent"],
      ["localhost:5000/etcd", "Always"],
      [`etcd@sha256:${"0".repeat(64)}`, "IfNotPresent"],
    ])("with the image %s has the pull policy %s", async (image, policy) => {
      const path = `${at().path("pods")}?dryRun=All`;
      const pod = { metadata: { name: "image" }, spec: { containers: [{ name: "a", image }] } };
      const { containers } = specOf(expectCode(201, await at().rest("POST", path, pod)));
      expect(containers[0]?.imagePullPolicy).toBe(policy);
    });

    test("has volumes filled in with the defaults of Kubernetes", async () => {
      const volumes = [
        { name: "secret", secret: { secretName: "s" } },
        { name: "config", configMap: { name: "c" } },
        { name: "none" },
      ];
      const pod = await create("volumes", { volumes });
      expect(specOf(pod).volumes?.slice(0, 3)).toEqual([
        { name: "secret", secret: { secretName: "s", defaultMode: 420 } },
        { name: "config", configMap: { name: "c", defaultMode: 420 } },
        { name: "none", emptyDir: {} },
      ]);
    });

    test("requests what it limits, and is classed by it", async () => {
      const limits = { cpu: "1", memory: "1Gi" };
      const pod = await create("guaranteed", { containers: [{ ...container, resources: { limits } }] });
      expect(specOf(pod).containers[0]?.resources).toEqual({ limits, requests: limits });
      expect(pod.status).toMatchObject({ qosClass: "Guaranteed" });
      const resources = { requests: { cpu: "100m" } };
      const burstable = await create("burstable", { containers: [{ ...container, resources }] });
      expect(burstable.status).toMatchObject({ qosClass: "Burstable" });
    });

    test("tolerates a node that is not ready or not reachable for five minutes", async () => {
      const { tolerations } = specOf(await create("tolerations"));
      const toleration = { operator: "Exists", effect: "NoExecute", tolerationSeconds: 300 };
      expect(tolerations).toEqual([
        { key: "node.kubernetes.io/not-ready", ...toleration },
        { key: "node.kubernetes.io/unreachable", ...toleration },
      ]);
    });

    test("has the token of its ServiceAccount mounted", async () => {
      const { volumes = [], containers } = specOf(await create("token"));
      const volume = volumes.find(({ name }) => name.startsWith("kube-api-access-"));
      expect(volume?.projected).toMatchObject({
        sources: [
          { serviceAccountToken: { path: "token" } },
          { configMap: { name: "kube-root-ca.crt", items: [{ key: "ca.crt", path: "ca.crt" }] } },
          { downwardAPI: { items: [{ path: "namespace", fieldRef: { fieldPath: "metadata.namespace" } }] } },
        ],
      });
      expect(containers[0]?.volumeMounts).toEqual([
        { name: volume?.name, readOnly: true, mountPath: "/var/run/secrets/kubernetes.io/serviceaccount" },
      ]);
    });

    test("has no token mounted where it does not want one", async () => {
      const pod = await create("no-token", { automountServiceAccountToken: false });
      expect(specOf(pod).volumes).toBeUndefined();
    });

    test("of a ServiceAccount that does not exist is refused with 403", async () => {
      const spec = { containers: [container], serviceAccountName: "missing" };
      const { code, body } = await at().rest("POST", at().path("pods"), { metadata: { name: "orphan" }, spec });
      expect(code).toBe(403);
      expect(body).toMatchObject({
        reason: "Forbidden",
        message:
          `pods "orphan" is forbidden: error looking up service account ${at().namespace}/missing: ` +
          'serviceaccount "missing" not found',
      });
    });

    test("without containers is refused with 422", async () => {
      const { code, body } = await at().rest("POST", at().path("pods"), { metadata: { name: "empty" }, spec: {} });
      expect(code).toBe(422);
      expect(body.message).toBe('Pod "empty" is invalid: spec.containers: Required value');
    });

    test("with a container without image is refused with 422", async () => {
      const spec = { containers: [{ name: "a" }] };
      const { body } = await at().rest("POST", at().path("pods"), { metadata: { name: "no-image" }, spec });
      expect(body).toMatchObject({
        details: { causes: [{ reason: "FieldValueRequired", field: "spec.containers[0].image" }] },
      });
    });
  });
}
