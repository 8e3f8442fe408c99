import type { KubeObject } from "@etcd-operator/kubernetes-client";
import type { Container, PodSpec, Service } from "kubernetes-types/core/v1.d.ts";
import { allOf, type Mutation, onPods, type Webhook, withContainers } from "./webhook.ts";

const MIRROR = "mirror.example/";
const DIGEST = `@sha256:${"0a5f".repeat(16)}`;

const mirrored = onPods((pod) =>
  withContainers(
    pod,
    withImage((image) => prefixed(image)),
  ),
);
const pinned = onPods((pod) =>
  withContainers(
    pod,
    withImage((image) => (image.includes("@") ? image : `${prefixed(image)}${DIGEST}`)),
  ),
);

/** For requests with a label that the platform sets itself. */
export const FORCED_LABEL = "team";

const labelled: Mutation = (_, object) => ({
  ...object,
  metadata: {
    ...object.metadata,
    labels: { ...object.metadata?.labels, [FORCED_LABEL]: "platform", "platform.example/tier": "gold" },
    annotations: { ...object.metadata?.annotations, "platform.example/note": "seen" },
  },
});

const scheduled = onPods((pod) => ({
  ...pod,
  spec: {
    containers: [],
    ...pod.spec,
    tolerations: [...(pod.spec?.tolerations ?? []), { key: "platform.example/pool", operator: "Exists" }],
    topologySpreadConstraints: [
      { maxSkew: 1, topologyKey: "platform.example/rack", whenUnsatisfiable: "ScheduleAnyway", labelSelector: {} },
    ],
    priority: 0,
  },
}));

/** As a LimitRange does, and a policy for security. */
const limited = onPods((pod) => {
  const { containers = [], ...rest }: Partial<PodSpec> = withContainers(pod, withLimits).spec ?? {};
  const securityContext = { ...rest.securityContext, seccompProfile: { type: "RuntimeDefault" }, fsGroup: 20_000 };
  return { ...pod, spec: { ...rest, containers, securityContext } };
});

const withProxy = onPods((pod) => {
  const { containers = [], volumes = [], ...rest } = pod.spec ?? {};
  const proxy = { name: "proxy", image: "platform.example/proxy:latest" };
  return {
    ...pod,
    spec: {
      ...rest,
      containers: [proxy, ...containers],
      volumes: [{ name: "proxy", emptyDir: {} }, ...volumes],
    },
  };
});

const ofOthers: Mutation = (plural, object) => {
  switch (plural) {
    case "services":
      return changedSpec<Service>(object, { internalTrafficPolicy: "Local", sessionAffinity: "ClientIP" });
    case "persistentvolumeclaims":
      return changedSpec(object, { storageClassName: "standard" });
    case "poddisruptionbudgets":
      return changedSpec(object, { unhealthyPodEvictionPolicy: "AlwaysAllow" });
    default:
      return object;
  }
};

const nothing: Mutation = (_, object) => object;

/** What webhooks, a LimitRange and default classes make of what operators write. */
export const webhooks: readonly Webhook[] = [
  { name: "mirror-on-create", onCreate: mirrored },
  { name: "mirror", onCreate: mirrored, onUpdate: mirrored },
  { name: "digest-on-create", onCreate: pinned },
  { name: "digest", onCreate: pinned, onUpdate: pinned },
  { name: "mirror-from-updates-on", onCreate: nothing, onUpdate: mirrored, restarts: true },
  { name: "sidecars", onCreate: withProxy },
  { name: "scheduling", onCreate: scheduled },
  { name: "defaults", onCreate: limited },
  { name: "labels", onCreate: labelled, onUpdate: labelled },
  { name: "other-objects", onCreate: ofOthers },
  {
    name: "everything",
    onCreate: allOf(pinned, withProxy, scheduled, limited, labelled, ofOthers),
    onUpdate: allOf(pinned, labelled),
  },
];

/** Gives a stopped member its etcd back, as a policy does that knows containers by name. */
export const etcdByName: Webhook = {
  name: "etcd-by-name",
  onCreate: nothing,
  onUpdate: onPods((pod) =>
    withContainers(pod, (each) => (each.name === "etcd" && isOurs(each) ? { ...each, image: KNOWN } : each)),
  ),
};

const KNOWN = "mirror.example/etcd:v3.5.16";

function isOurs({ image = "" }: Container): boolean {
  return !/etcd:v/.test(image);
}

function withImage(change: (image: string) => string): (container: Container) => Container {
  return (container) => ({ ...container, image: change(container.image ?? "") });
}

/** Existing entries are left alone, as Kubernetes requires of webhooks. */
function prefixed(image: string): string {
  return image.startsWith(MIRROR) ? image : `${MIRROR}${image}`;
}

function withLimits(container: Container): Container {
  const { requests, limits } = container.resources ?? {};
  return {
    ...container,
    resources: { requests: { cpu: "10m", ...requests }, limits: { cpu: "2", memory: "1Gi", ...limits } },
    securityContext: { ...container.securityContext, readOnlyRootFilesystem: true },
  };
}

function changedSpec<T extends { spec?: object }>(
  object: KubeObject,
  change: NonNullable<T["spec"]> | object,
): KubeObject {
  const { spec, ...rest } = object as KubeObject & { spec?: object };
  return { ...rest, spec: { ...spec, ...change } } as KubeObject;
}
