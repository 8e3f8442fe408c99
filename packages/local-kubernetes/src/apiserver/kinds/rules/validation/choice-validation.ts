import { type Cause, forbidden, invalid, notSupported, required } from "../../../crd/cause.ts";
import { isObject, type JsonObject, textIn } from "../../../kube-object.ts";
import { negativeCauses } from "./number-validation.ts";

// In the order in which they are looked at: the first one counts.
const VOLUMES = [
  ..."emptyDir hostPath gitRepo gcePersistentDisk awsElasticBlockStore secret nfs iscsi glusterfs flocker".split(" "),
  ..."persistentVolumeClaim rbd cinder cephfs quobyte downwardAPI fc flexVolume configMap azureFile".split(" "),
  ..."vsphereVolume photonPersistentDisk portworxVolume azureDisk storageos projected scaleIO csi".split(" "),
  ...["ephemeral", "image"],
];
const HANDLERS = ["exec", "httpGet", "tcpSocket", "grpc", "sleep"];
const SOURCES = ["fieldRef", "resourceFieldRef", "configMapKeyRef", "secretKeyRef"];

/** A volume is of one type. */
export function volumeTypeCauses(volume: JsonObject, path: string): Cause[] {
  return surplus(volume, VOLUMES).map((type) =>
    forbidden(`${path}.${type}`, "may not specify more than 1 volume type"),
  );
}

/** The value of a variable comes from one place. */
export function variableCauses({ value = "", valueFrom }: JsonObject, path: string): Cause[] {
  if (!isObject(valueFrom)) return [];
  const count = SOURCES.filter((source) => valueFrom[source] !== undefined).length;
  const names = "`fieldRef`, `resourceFieldRef`, `configMapKeyRef` or `secretKeyRef`";
  const at = `${path}.valueFrom`;
  if (count === 0) return [invalid(at, "", `must specify one of: ${names}`)];
  if (value !== "") return [invalid(at, "", "may not be specified when `value` is not empty")];
  return count > 1 ? [invalid(at, "", "may not have more than one field specified at a time")] : [];
}

/** What is done to a container, or asked of it, is done or asked in one way. */
export function handlerCauses(container: JsonObject, path: string): Cause[] {
  return [
    ...["postStart", "preStop"].flatMap((name) => {
      const handler = isObject(container.lifecycle) ? container.lifecycle[name] : undefined;
      return isObject(handler) ? actionCauses(handler, `${path}.lifecycle.${name}`) : [];
    }),
    ...["livenessProbe", "readinessProbe", "startupProbe"].flatMap((name) => {
      const probe = container[name];
      return isObject(probe) ? probeCauses(probe, name, `${path}.${name}`) : [];
    }),
  ];
}

/** A container that ends before the others start is not asked how it is. */
export function earlyHandlerCauses(container: JsonObject, path: string): Cause[] {
  if (container.restartPolicy === "Always") return handlerCauses(container, path);
  return ["lifecycle", "livenessProbe", "readinessProbe", "startupProbe"]
    .filter((field) => container[field] !== undefined)
    .map((field) => forbidden(`${path}.${field}`, "may not be set for init containers without restartPolicy=Always"));
}

const COUNTS = ["initialDelaySeconds", "timeoutSeconds", "periodSeconds", "successThreshold", "failureThreshold"];

function probeCauses(probe: JsonObject, name: string, path: string): Cause[] {
  const { successThreshold } = probe;
  const isOnce = name === "readinessProbe" || successThreshold === undefined || successThreshold === 1;
  return [
    ...actionCauses(probe, path),
    ...negativeCauses(probe, path, COUNTS),
    ...(isOnce ? [] : [invalid(`${path}.successThreshold`, successThreshold, "must be 1")]),
  ];
}

function actionCauses(action: JsonObject, path: string): Cause[] {
  const [first] = HANDLERS.filter((type) => action[type] !== undefined);
  if (first === undefined) return [required(path, "must specify a handler type")];
  return [
    ...(first === "exec" && !hasCommand(action.exec) ? [required(`${path}.exec.command`)] : []),
    ...(first === "httpGet" ? schemeCauses(textIn(action, "httpGet", "scheme"), `${path}.httpGet.scheme`) : []),
    ...portCauses(isObject(action[first]) ? action[first].port : undefined, `${path}.${first}.port`),
    ...surplus(action, HANDLERS).map((type) =>
      forbidden(`${path}.${type}`, "may not specify more than 1 handler type"),
    ),
  ];
}

function hasCommand(exec: unknown): boolean {
  return isObject(exec) && Array.isArray(exec.command) && exec.command.length > 0;
}

function schemeCauses(scheme: string, path: string): Cause[] {
  return ["", "HTTP", "HTTPS"].includes(scheme) ? [] : [notSupported(path, scheme, ["HTTP", "HTTPS"])];
}

function portCauses(port: unknown, path: string): Cause[] {
  if (typeof port !== "number" || (port > 0 && port < 65536)) return [];
  return [invalid(path, port, "must be between 1 and 65535, inclusive")];
}

function surplus(object: JsonObject, choices: readonly string[]): string[] {
  return choices.filter((choice) => object[choice] !== undefined).slice(1);
}
