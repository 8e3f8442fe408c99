import type { LocalModeUnderTest } from "../../local/local-mode.ts";
import { type ApiProxy, startApiProxy } from "./api-proxy.ts";

export interface CountingProxy extends ApiProxy {
  /** What was asked since the last time, such as "GET /api/v1/pods?watch=true". */
  take(): readonly string[];
}

/** Stands between one client and the API server, and writes down what is asked. */
export async function countingProxy(local: LocalModeUnderTest): Promise<CountingProxy> {
  const asked: string[] = [];
  const proxy = await startApiProxy(local, {
    name: "counted",
    onQuestion: ({ method, url }) => void asked.push(`${method} ${url}`),
  });
  return { ...proxy, take: () => asked.splice(0) };
}
