import type { ApiContext } from "../api-context.ts";
import { badRequest } from "../api-error.ts";
import { containerOf, kubeletPortOf, podOf } from "./kubelet-proxy.ts";

const CONNECTIONS = ["exec", "attach", "portforward"] as const;

/** What of a pod is no object but a connection to its kubelet. */
export type Connection = (typeof CONNECTIONS)[number];

interface Place {
  readonly namespace?: string;
  readonly name: string;
  readonly subresource: Connection;
}

export function isConnection(subresource: string | undefined): subresource is Connection {
  return CONNECTIONS.some((each) => each === subresource);
}

/** Where the kubelet listens, and under which path it has what is asked for; refuses what no kubelet can have. */
export async function kubeletPlaceOf(
  api: ApiContext,
  { namespace = "", name, subresource }: Place,
  query: URLSearchParams,
): Promise<{ readonly port: number; readonly path: string }> {
  const pod = await podOf(api, namespace, name);
  const rest = new URLSearchParams(query);
  rest.delete("container");
  const target =
    subresource === "portforward"
      ? `/portForward/${namespace}/${name}`
      : `/${subresource}/${namespace}/${name}/${containerOf(pod, query.get("container"))}`;
  return { port: await kubeletPortOf(api, pod), path: `${target}?${rest}` };
}

/** The answer to a plain request for a connection. */
export async function requireUpgrade(api: ApiContext, place: Place, query: URLSearchParams): Promise<never> {
  await kubeletPlaceOf(api, place, query);
  throw badRequest("Upgrade request required");
}
