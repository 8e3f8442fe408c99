import type { Logger } from "@etcd-operator/controller-runtime";
import type { KubeClient } from "@etcd-operator/kubernetes-client";
import { Backoff, type Clock, hasCode, pause, resources } from "@etcd-operator/kubernetes-client";
import type { Pod } from "kubernetes-types/core/v1.d.ts";
import type { ProgramName } from "./operator-flags.ts";
import { VERSION } from "./version.ts";

/** For an operator that runs in no pod, or may not read its own. */
export const PUBLISHED_IMAGE = `ghcr.io/etcd-operator/etcd-operator:v${VERSION}`;

const BACKOFF = { firstMs: 100, lastMs: 5_000 };

export interface OwnImageOptions {
  readonly program: ProgramName;
  /** From --guard-image or ETCD_OPERATOR_IMAGE; wins over everything. */
  readonly told: string | undefined;
  readonly client: Pick<KubeClient, "get">;
  readonly logger: Logger;
  readonly clock: Clock;
  readonly random: () => number;
  readonly env?: NodeJS.ProcessEnv;
}

/** The image for the pods that this operator creates: the configured one, else that of its own pod. */
export async function ownImage(options: OwnImageOptions, signal: AbortSignal): Promise<string> {
  const { told, client, logger, clock, random, program, env = process.env } = options;
  const { MY_POD_NAMESPACE: namespace, MY_POD_NAME: name } = env;
  if (told) return told;
  if (!namespace || !name) return PUBLISHED_IMAGE;
  const backoff = new Backoff({ ...BACKOFF, random });
  while (!signal.aborted) {
    try {
      const image = imageIn(await client.get(resources.pods, { namespace, name }, { signal }), program);
      if (image) return image;
      logger.warn(`no container of the pod ${name} runs ${program}: ${remedy}`);
      return PUBLISHED_IMAGE;
    } catch (error) {
      if (hasCode(error, "not-found") || hasCode(error, "forbidden")) {
        logger.warn({ err: error }, `could not read the image of the operator's pod ${name}: ${remedy}`);
        return PUBLISHED_IMAGE;
      }
      if (!signal.aborted) logger.debug({ err: error }, "could not read the operator's pod yet");
    }
    await pause(clock, backoff.nextMs(), signal);
  }
  return PUBLISHED_IMAGE;
}

const remedy = `using ${PUBLISHED_IMAGE} for the guard of members; set ETCD_OPERATOR_IMAGE or --guard-image to use another`;

/** By what a container starts, then by its name; a sidecar is neither. */
export function imageIn({ spec }: Pick<Pod, "spec">, program: ProgramName): string | undefined {
  const containers = spec?.containers ?? [];
  const starts = containers.find(({ command = [], args = [] }) =>
    [...command, ...args].some((word) => word.split("/").at(-1) === program),
  );
  const own =
    starts ?? containers.find(({ name }) => name === program) ?? (containers.length === 1 ? containers[0] : undefined);
  return own?.image;
}
