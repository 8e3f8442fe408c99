import { type Cause, duplicate, forbidden, invalid, notSupported, required } from "../../crd/cause.ts";
import { type JsonObject, type KubeObject, listIn, objectIn, sameJson, textIn } from "../../kube-object.ts";
import { dns1123LabelErrors } from "../../meta/names.ts";

/** What is wrong with a pod spec at `path`. */
export function podSpecCauses(spec: JsonObject, path: string): Cause[] {
  const containers = listIn(spec, "containers");
  const volumes = new Set(listIn(spec, "volumes").map((volume) => textIn(volume, "name")));
  return [
    ...volumeCauses(listIn(spec, "volumes"), `${path}.volumes`),
    ...(containers.length === 0 ? [required(`${path}.containers`)] : []),
    ...containerCauses(containers, `${path}.containers`, volumes),
    ...containerCauses(listIn(spec, "initContainers"), `${path}.initContainers`, volumes),
    ...oneOf(`${path}.restartPolicy`, spec.restartPolicy, ["Always", "OnFailure", "Never"]),
    ...oneOf(`${path}.dnsPolicy`, spec.dnsPolicy, ["ClusterFirstWithHostNet", "ClusterFirst", "Default", "None"]),
  ];
}

export function oneOf(path: string, value: unknown, supported: readonly string[]): Cause[] {
  return value === undefined || supported.includes(String(value)) ? [] : [notSupported(path, value, supported)];
}

function volumeCauses(volumes: readonly JsonObject[], path: string): Cause[] {
  return volumes.flatMap((volume, index) => nameCauses(volume, volumes.slice(0, index), `${path}[${index}].name`));
}

function nameCauses(item: JsonObject, earlier: readonly JsonObject[], path: string): Cause[] {
  const name = textIn(item, "name");
  if (name === "") return [required(path)];
  if (earlier.some((other) => other.name === name)) return [duplicate(path, name)];
  return dns1123LabelErrors(name).map((error) => invalid(path, name, error));
}

function containerCauses(containers: readonly JsonObject[], path: string, volumes: ReadonlySet<string>): Cause[] {
  return containers.flatMap((container, index) => {
    const at = `${path}[${index}]`;
    return [
      ...nameCauses(container, containers.slice(0, index), `${at}.name`),
      ...(container.image ? [] : [required(`${at}.image`)]),
      ...oneOf(`${at}.imagePullPolicy`, container.imagePullPolicy, ["Always", "IfNotPresent", "Never"]),
      ...portCauses(listIn(container, "ports"), `${at}.ports`),
      ...mountCauses(listIn(container, "volumeMounts"), `${at}.volumeMounts`, volumes),
    ];
  });
}

function portCauses(ports: readonly JsonObject[], path: string): Cause[] {
  return ports.flatMap(({ containerPort, protocol }, index) => {
    const at = `${path}[${index}]`;
    return [
      ...portNumberCauses(`${at}.containerPort`, containerPort),
      ...oneOf(`${at}.protocol`, protocol, ["SCTP", "TCP", "UDP"]),
    ];
  });
}

export function portNumberCauses(path: string, port: unknown): Cause[] {
  if (port === undefined) return [required(path)];
  const isPort = typeof port === "number" && port > 0 && port < 65536;
  return isPort ? [] : [invalid(path, port, "must be between 1 and 65535, inclusive")];
}

function mountCauses(mounts: readonly JsonObject[], path: string, volumes: ReadonlySet<string>): Cause[] {
  return mounts.flatMap((mount, index) => {
    const name = textIn(mount, "name");
    const unknown = { reason: "FieldValueNotFound", message: `Not found: "${name}"`, field: `${path}[${index}].name` };
    return [
      ...(mount.mountPath ? [] : [required(`${path}[${index}].mountPath`)]),
      // A reason of its own, which custom resources never have.
      ...(volumes.has(name) ? [] : [unknown as unknown as Cause]),
    ];
  });
}

/** A pod is what it was made as, save what a running pod can follow. */
export function podUpdateCauses(pod: KubeObject, old: KubeObject): Cause[] {
  if (sameJson(frozenPart(pod, old), objectIn(old, "spec"))) return [];
  return [
    forbidden(
      "spec",
      "pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`," +
        "`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations)," +
        "`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)",
    ),
  ];
}

function frozenPart(pod: KubeObject, old: KubeObject): JsonObject {
  const spec = structuredClone(objectIn(pod, "spec"));
  const before = objectIn(old, "spec");
  for (const field of ["containers", "initContainers"]) {
    for (const [index, container] of listIn(spec, field).entries()) {
      const { image } = listIn(before, field)[index] ?? {};
      if (image !== undefined) container.image = image;
    }
  }
  restore(spec, before, "activeDeadlineSeconds");
  const kept = listIn(before, "tolerations");
  const now = listIn(spec, "tolerations");
  if (kept.every((toleration) => now.some((other) => sameJson(toleration, other))))
    restore(spec, before, "tolerations");
  return spec;
}

function restore(spec: JsonObject, before: JsonObject, field: string): void {
  if (before[field] === undefined) delete spec[field];
  else spec[field] = before[field];
}

/** The class that decides who is evicted first, from what the containers ask for. */
export function qosClassOf(spec: JsonObject): string {
  const containers = [...listIn(spec, "containers"), ...listIn(spec, "initContainers")];
  const kinds = containers.flatMap((container) =>
    ["cpu", "memory"].map((resource) => {
      const limit = objectIn(container, "resources", "limits")[resource];
      const request = objectIn(container, "resources", "requests")[resource] ?? limit;
      if (limit !== undefined && limit === request) return "Guaranteed";
      return limit === undefined && request === undefined ? "BestEffort" : "Burstable";
    }),
  );
  const [first = "BestEffort"] = kinds;
  return kinds.every((kind) => kind === first) ? first : "Burstable";
}
