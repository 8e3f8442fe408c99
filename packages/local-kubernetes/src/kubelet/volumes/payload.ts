import type { ConfigMap, DownwardAPIVolumeFile, KeyToPath, Pod, Secret } from "kubernetes-types/core/v1.d.ts";
import { type MachineSize, type PodAddresses, podField, resourceField } from "../env/pod-field.ts";
import { KubeletError } from "../kubelet-error.ts";

/** A file of a volume whose content comes from the API. */
export interface PayloadFile {
  readonly path: string;
  readonly mode: number;
  readonly content: Uint8Array;
}

/**
 * The Secrets and ConfigMaps of the pod's namespace that its volumes name, as far as they exist; tokens, or why there
 * is none.
 */
export interface PayloadSources extends PodAddresses {
  readonly pod: Pod;
  readonly machine: MachineSize;
  readonly secrets: ReadonlyMap<string, Secret>;
  readonly configMaps: ReadonlyMap<string, ConfigMap>;
  readonly tokens: ReadonlyMap<string, string | KubeletError>;
}

interface KeyedSource {
  readonly items?: readonly KeyToPath[];
  readonly optional?: boolean;
}

const usualMode = 0o644;

export function secretPayload(
  name: string,
  source: KeyedSource & { readonly defaultMode?: number },
  { secrets }: PayloadSources,
): PayloadFile[] {
  const data = Object.entries(secrets.get(name)?.data ?? {}).map(
    ([key, value]) => [key, Buffer.from(value, "base64")] as const,
  );
  return keyedPayload(`secret "${name}"`, secrets.has(name) ? new Map(data) : undefined, source);
}

export function configMapPayload(
  name: string,
  source: KeyedSource & { readonly defaultMode?: number },
  { configMaps }: PayloadSources,
): PayloadFile[] {
  const { data = {}, binaryData = {} } = configMaps.get(name) ?? {};
  const content = new Map<string, Uint8Array>([
    ...Object.entries(data).map(([key, value]) => [key, Buffer.from(value)] as const),
    ...Object.entries(binaryData).map(([key, value]) => [key, Buffer.from(value, "base64")] as const),
  ]);
  return keyedPayload(`configmap "${name}"`, configMaps.has(name) ? content : undefined, source);
}

export function downwardPayload(
  items: readonly DownwardAPIVolumeFile[],
  defaultMode: number | undefined,
  sources: PayloadSources,
): PayloadFile[] {
  return items.map((item) => ({
    path: item.path,
    mode: item.mode ?? defaultMode ?? usualMode,
    content: Buffer.from(downwardValue(item, sources)),
  }));
}

function downwardValue({ fieldRef, resourceFieldRef }: DownwardAPIVolumeFile, sources: PayloadSources): string {
  if (fieldRef) return podField(sources.pod, fieldRef.fieldPath, sources);
  if (!resourceFieldRef) return "";
  const container = sources.pod.spec?.containers.find(({ name }) => name === resourceFieldRef.containerName);
  if (container) return resourceField(container, resourceFieldRef, sources.machine);
  throw new KubeletError("invalid-pod", `container ${resourceFieldRef.containerName} not found`);
}

function keyedPayload(
  what: string,
  content: ReadonlyMap<string, Uint8Array> | undefined,
  { items, optional, defaultMode = usualMode }: KeyedSource & { readonly defaultMode?: number },
): PayloadFile[] {
  if (!content) {
    if (optional) return [];
    throw new KubeletError("missing-object", `${what} not found`);
  }
  const wanted = items ?? [...content.keys()].map((key) => ({ key, path: key }));
  return wanted.flatMap(({ key, path, mode }: KeyToPath) => {
    const value = content.get(key);
    if (value) return [{ path, mode: mode ?? defaultMode, content: value }];
    if (optional) return [];
    throw new KubeletError("missing-object", `references non-existent ${what.split(" ")[0]} key: ${key}`);
  });
}
