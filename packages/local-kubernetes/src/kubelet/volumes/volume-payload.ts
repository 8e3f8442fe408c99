import type { ServiceAccountTokenProjection, Volume, VolumeProjection } from "kubernetes-types/core/v1.d.ts";
import { configMapPayload, downwardPayload, type PayloadFile, type PayloadSources, secretPayload } from "./payload.ts";
import type { TokenWish } from "./token-source.ts";

/** The files of a volume that is made of API objects; undefined for a volume that is a folder. */
export function volumePayload(volume: Volume, sources: PayloadSources): PayloadFile[] | undefined {
  const { secret, configMap, downwardAPI, projected } = volume;
  if (secret) return secretPayload(secret.secretName ?? "", secret, sources);
  if (configMap) return configMapPayload(configMap.name ?? "", configMap, sources);
  if (downwardAPI) return downwardPayload(downwardAPI.items ?? [], downwardAPI.defaultMode, sources);
  if (!projected) return undefined;
  return (projected.sources ?? []).flatMap((source) => projectionPayload(source, projected.defaultMode, sources));
}

/** What a pod's volumes are made of: the objects to be read, and the tokens to be asked for. */
export function payloadReferences(volumes: readonly Volume[]) {
  const projections = volumes.flatMap(({ projected }) => projected?.sources ?? []);
  const named = (names: readonly (string | undefined)[]) => new Set(names.filter((name) => name !== undefined));
  return {
    secrets: named([
      ...volumes.map(({ secret }) => secret?.secretName),
      ...projections.map(({ secret }) => secret?.name),
    ]),
    configMaps: named([
      ...volumes.map(({ configMap }) => configMap?.name),
      ...projections.map(({ configMap }) => configMap?.name),
    ]),
    tokens: new Map(
      projections.flatMap(({ serviceAccountToken: token }) => (token ? [[tokenKey(token), wishOf(token)]] : [])),
    ),
  };
}

function wishOf({ audience = "", expirationSeconds = USUAL_SECONDS }: ServiceAccountTokenProjection): TokenWish {
  return { audience, lifetimeSeconds: expirationSeconds };
}

const USUAL_SECONDS = 3600;

function tokenKey(projection: ServiceAccountTokenProjection): string {
  const { audience, lifetimeSeconds } = wishOf(projection);
  return `${lifetimeSeconds} ${audience}`;
}

/** Whether any volume follows changes of API objects other than the pod itself. */
export function hasLivePayload(volumes: readonly Volume[]): boolean {
  const { secrets, configMaps, tokens } = payloadReferences(volumes);
  return secrets.size + configMaps.size + tokens.size > 0;
}

function projectionPayload(
  { secret, configMap, downwardAPI, serviceAccountToken }: VolumeProjection,
  defaultMode: number | undefined,
  sources: PayloadSources,
): PayloadFile[] {
  const mode = defaultMode === undefined ? {} : { defaultMode };
  if (secret) return secretPayload(secret.name ?? "", { ...secret, ...mode }, sources);
  if (configMap) return configMapPayload(configMap.name ?? "", { ...configMap, ...mode }, sources);
  if (downwardAPI) return downwardPayload(downwardAPI.items ?? [], defaultMode, sources);
  if (!serviceAccountToken) return [];
  const token = sources.tokens.get(tokenKey(serviceAccountToken)) ?? "";
  if (typeof token !== "string") throw token;
  return [{ path: serviceAccountToken.path, mode: defaultMode ?? 0o644, content: Buffer.from(token) }];
}
