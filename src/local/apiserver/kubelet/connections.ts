import type { ApiContext } from "../api-context.ts";
import { badRequest } from "../api-error.ts";
import { containerOf, scheduledPod } from "./kubelet-proxy.ts";

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

/** Where the kubelet has what is asked for; refuses what no kubelet can have. */
export async function kubeletPath(
  api: ApiContext,
  { namespace = "", name, subresource }: Place,
  query: URLSearchParams,
): Promise<string> {
  if (subresource === "portforward") {
    await scheduledPod(api, namespace, name);
    return `/portForward/${namespace}/${name}?${query}`;
  }
  const container = await containerOf(api, namespace, name, query.get("container"));
  const rest = new URLSearchParams(query);
  rest.delete("container");
  return `/${subresource}/${namespace}/${name}/${container}?${rest}`;
}

/** The answer to a plain request for a connection. */
export async function requireUpgrade(api: ApiContext, place: Place, query: URLSearchParams): Promise<never> {
  await kubeletPath(api, place, query);
  throw badRequest("Upgrade request required");
}
