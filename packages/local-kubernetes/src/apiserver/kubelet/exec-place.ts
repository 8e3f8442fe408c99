import type { ApiContext } from "../api-context.ts";
import { badRequest } from "../api-error.ts";
import { containerOf, kubeletPortOf, podOf } from "./kubelet-proxy.ts";

interface Place {
  readonly namespace?: string | undefined;
  readonly name: string;
}

/** Where the kubelet of a pod listens, and under which path it runs a command; refuses what no kubelet can have. */
export async function execPlaceOf(
  api: ApiContext,
  { namespace = "", name }: Place,
  query: URLSearchParams,
): Promise<{ readonly port: number; readonly path: string }> {
  const pod = await podOf(api, namespace, name);
  const rest = new URLSearchParams(query);
  rest.delete("container");
  const target = `/exec/${namespace}/${name}/${containerOf(pod, query.get("container"))}`;
  return { port: await kubeletPortOf(api, pod), path: `${target}?${rest}` };
}

/** The answer to a plain request for a connection. */
export async function requireUpgrade(api: ApiContext, place: Place, query: URLSearchParams): Promise<never> {
  await execPlaceOf(api, place, query);
  throw badRequest("Upgrade request required");
}
