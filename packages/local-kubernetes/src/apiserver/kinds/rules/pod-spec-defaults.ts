import { isObject, type JsonObject, listIn, objectIn, textIn } from "../../kube-object.ts";
import { fill } from "./fill.ts";

/** What every pod spec has, in a pod and in a template. */
export function podSpecDefaults(spec: JsonObject): void {
  fill(spec, {
    restartPolicy: "Always",
    terminationGracePeriodSeconds: 30,
    dnsPolicy: "ClusterFirst",
    securityContext: {},
    schedulerName: "default-scheduler",
  });
  // The old and the new name of one field.
  const account = spec.serviceAccountName ?? spec.serviceAccount;
  if (account) Object.assign(spec, { serviceAccountName: account, serviceAccount: account });
  for (const container of [...listIn(spec, "initContainers"), ...listIn(spec, "containers")]) {
    containerDefaults(container, spec.hostNetwork === true);
  }
  for (const volume of listIn(spec, "volumes")) volumeDefaults(volume);
}

function containerDefaults(container: JsonObject, usesHostNetwork: boolean): void {
  fill(container, {
    imagePullPolicy: isMutableTag(textIn(container, "image")) ? "Always" : "IfNotPresent",
    terminationMessagePath: "/dev/termination-log",
    terminationMessagePolicy: "File",
    resources: {},
  });
  for (const port of listIn(container, "ports")) {
    fill(port, { protocol: "TCP", ...(usesHostNetwork && { hostPort: port.containerPort }) });
  }
  for (const variable of listIn(container, "env")) fieldRefDefaults(objectIn(variable, "valueFrom"));
  for (const probe of ["livenessProbe", "readinessProbe", "startupProbe"]) probeDefaults(container[probe]);
  for (const hook of ["postStart", "preStop"]) httpDefaults(objectIn(container, "lifecycle", hook).httpGet);
}

// Without a tag, and with "latest", the same name may mean another image tomorrow.
function isMutableTag(image: string): boolean {
  const [name = "", digest] = image.split("@");
  if (digest) return false;
  const tag = /:([^/]+)$/.exec(name)?.[1];
  return tag === undefined || tag === "latest";
}

function probeDefaults(probe: unknown): void {
  if (!isObject(probe)) return;
  fill(probe, { timeoutSeconds: 1, periodSeconds: 10, successThreshold: 1, failureThreshold: 3 });
  httpDefaults(probe.httpGet);
  if (isObject(probe.grpc)) fill(probe.grpc, { service: "" });
}

function httpDefaults(action: unknown): void {
  if (isObject(action)) fill(action, { path: "/", scheme: "HTTP" });
}

function fieldRefDefaults(holder: JsonObject): void {
  if (isObject(holder.fieldRef)) fill(holder.fieldRef, { apiVersion: "v1" });
  if (isObject(holder.resourceFieldRef)) fill(holder.resourceFieldRef, { divisor: "0" });
}

const READABLE_BY_ALL = 0o644;

function volumeDefaults(volume: JsonObject): void {
  if (Object.keys(volume).length === 1) volume.emptyDir = {};
  for (const source of ["secret", "configMap", "downwardAPI", "projected"]) {
    if (isObject(volume[source])) fill(volume[source], { defaultMode: READABLE_BY_ALL });
  }
  if (isObject(volume.hostPath)) fill(volume.hostPath, { type: "" });
  for (const item of listIn(volume, "downwardAPI", "items")) fieldRefDefaults(item);
  for (const source of listIn(volume, "projected", "sources")) {
    if (isObject(source.serviceAccountToken)) fill(source.serviceAccountToken, { expirationSeconds: 3600 });
    for (const item of listIn(source, "downwardAPI", "items")) fieldRefDefaults(item);
  }
}
