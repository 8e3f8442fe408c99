import type { IncomingMessage } from "node:http";

/** What a request to the kubelet is about. */
export function kubeletPath({ url = "/" }: Pick<IncomingMessage, "url">) {
  const { pathname, searchParams } = new URL(url, "https://kubelet");
  const [verb = "", namespace = "", pod = "", container = ""] = pathname.split("/").slice(1).map(decodeURIComponent);
  return { verb, namespace, pod, container, query: searchParams };
}
