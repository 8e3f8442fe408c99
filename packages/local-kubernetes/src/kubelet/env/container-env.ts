import type { Container, EnvFromSource, EnvVar, Pod } from "kubernetes-types/core/v1.d.ts";
import { KubeletError } from "../kubelet-error.ts";
import { expand } from "./expand.ts";
import { type MachineSize, type PodAddresses, podField, resourceField } from "./pod-field.ts";

/** What the values of a container's environment come from; Secrets and ConfigMaps of the pod's namespace by name. */
export interface EnvSources extends PodAddresses {
  readonly pod: Pod;
  readonly machine: MachineSize;
  readonly secrets: ReadonlyMap<string, Readonly<Record<string, string>>>;
  readonly configMaps: ReadonlyMap<string, Readonly<Record<string, string>>>;
}

/** The environment of a container as its spec writes it, with references resolved and $(NAME) expanded. */
export function containerEnv(container: Container, sources: EnvSources): Map<string, string> {
  const values = new Map<string, string>();
  for (const source of container.envFrom ?? []) {
    for (const [key, value] of Object.entries(wholeObject(source, sources))) {
      values.set(`${source.prefix ?? ""}${key}`, value);
    }
  }
  for (const variable of container.env ?? []) {
    const value = resolvedValue(variable, values, container, sources);
    if (value !== undefined) values.set(variable.name, value);
  }
  return values;
}

/** The Secrets and ConfigMaps that a container's environment names. */
export function envReferences(container: Container): { secrets: Set<string>; configMaps: Set<string> } {
  const froms = container.envFrom ?? [];
  const values = (container.env ?? []).map(({ valueFrom }) => valueFrom);
  const named = (names: readonly (string | undefined)[]) => new Set(names.filter((name) => name !== undefined));
  return {
    secrets: named([...froms.map((from) => from.secretRef?.name), ...values.map((from) => from?.secretKeyRef?.name)]),
    configMaps: named([
      ...froms.map((from) => from.configMapRef?.name),
      ...values.map((from) => from?.configMapKeyRef?.name),
    ]),
  };
}

function wholeObject(from: EnvFromSource, sources: EnvSources): Readonly<Record<string, string>> {
  const [ref, objects, kind] = from.secretRef
    ? [from.secretRef, sources.secrets, "secret"]
    : [from.configMapRef, sources.configMaps, "configmap"];
  const data = objects.get(ref?.name ?? "");
  if (data || ref?.optional || !ref) return data ?? {};
  throw new KubeletError("missing-object", `${kind} "${ref.name}" not found`);
}

function resolvedValue(
  { value, valueFrom }: EnvVar,
  values: ReadonlyMap<string, string>,
  container: Container,
  sources: EnvSources,
): string | undefined {
  if (!valueFrom) return expand(value ?? "", values);
  if (valueFrom.fieldRef) return podField(sources.pod, valueFrom.fieldRef.fieldPath, sources);
  if (valueFrom.resourceFieldRef) return resourceField(container, valueFrom.resourceFieldRef, sources.machine);
  if (valueFrom.secretKeyRef) return keyValue("Secret", valueFrom.secretKeyRef, sources.secrets, sources.pod);
  if (valueFrom.configMapKeyRef) {
    return keyValue("ConfigMap", valueFrom.configMapKeyRef, sources.configMaps, sources.pod);
  }
  return "";
}

function keyValue(
  kind: "Secret" | "ConfigMap",
  { name = "", key, optional }: { name?: string; key: string; optional?: boolean },
  objects: EnvSources["secrets"],
  pod: Pod,
): string | undefined {
  const value = objects.get(name)?.[key];
  if (value !== undefined || optional) return value;
  const message = objects.has(name)
    ? `couldn't find key ${key} in ${kind} ${pod.metadata?.namespace}/${name}`
    : `${kind.toLowerCase()} "${name}" not found`;
  throw new KubeletError("missing-object", message);
}
