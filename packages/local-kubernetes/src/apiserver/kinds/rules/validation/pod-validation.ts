import { type Cause, duplicate, invalid, notSupported, required } from "../../../crd/cause.ts";
import { type JsonObject, listIn, objectIn, textIn } from "../../../kube-object.ts";
import { dns1123LabelErrors } from "../../../meta/names.ts";
import { earlyHandlerCauses, handlerCauses, variableCauses, volumeTypeCauses } from "./choice-validation.ts";

/** What is wrong with a pod spec at `path`. */
export function podSpecCauses(spec: JsonObject, path: string): Cause[] {
  const containers = listIn(spec, "containers");
  const volumes = new Set(listIn(spec, "volumes").map((volume) => textIn(volume, "name")));
  return [
    ...volumeCauses(listIn(spec, "volumes"), `${path}.volumes`),
    ...(containers.length === 0 ? [required(`${path}.containers`)] : []),
    ...containerCauses(containers, `${path}.containers`, volumes, handlerCauses),
    ...containerCauses(listIn(spec, "initContainers"), `${path}.initContainers`, volumes, earlyHandlerCauses),
    ...oneOf(`${path}.restartPolicy`, spec.restartPolicy, ["Always", "OnFailure", "Never"]),
    ...oneOf(`${path}.dnsPolicy`, spec.dnsPolicy, ["ClusterFirstWithHostNet", "ClusterFirst", "Default", "None"]),
  ];
}

/** What is wrong with the images of a pod, where a template of pods may have it. */
export function podImageCauses(spec: JsonObject): Cause[] {
  return ["containers", "initContainers"].flatMap((field) =>
    listIn(spec, field).flatMap((container, index) => {
      const image = textIn(container, "image");
      const path = `spec.${field}[${index}].image`;
      return image === image.trim() ? [] : [invalid(path, image, "must not have leading or trailing whitespace")];
    }),
  );
}

export function oneOf(path: string, value: unknown, supported: readonly string[]): Cause[] {
  return value === undefined || supported.includes(String(value)) ? [] : [notSupported(path, value, supported)];
}

function volumeCauses(volumes: readonly JsonObject[], path: string): Cause[] {
  return volumes.flatMap((volume, index) => [
    ...nameCauses(volume, volumes.slice(0, index), `${path}[${index}].name`),
    ...volumeTypeCauses(volume, `${path}[${index}]`),
  ]);
}

function nameCauses(item: JsonObject, earlier: readonly JsonObject[], path: string): Cause[] {
  const name = textIn(item, "name");
  if (name === "") return [required(path)];
  if (earlier.some((other) => other.name === name)) return [duplicate(path, name)];
  return dns1123LabelErrors(name).map((error) => invalid(path, name, error));
}

function containerCauses(
  containers: readonly JsonObject[],
  path: string,
  volumes: ReadonlySet<string>,
  handlersOf: (container: JsonObject, path: string) => Cause[],
): Cause[] {
  return containers.flatMap((container, index) => {
    const at = `${path}[${index}]`;
    return [
      ...nameCauses(container, containers.slice(0, index), `${at}.name`),
      ...(container.image ? [] : [required(`${at}.image`)]),
      ...oneOf(`${at}.imagePullPolicy`, container.imagePullPolicy, ["Always", "IfNotPresent", "Never"]),
      ...portCauses(listIn(container, "ports"), `${at}.ports`),
      ...listIn(container, "env").flatMap((variable, place) => [
        ...(variable.name ? [] : [required(`${at}.env[${place}].name`)]),
        ...variableCauses(variable, `${at}.env[${place}]`),
      ]),
      ...handlersOf(container, at),
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
