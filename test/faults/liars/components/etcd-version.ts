import { connectEtcd, EtcdError } from "@etcd-operator/etcd-client";
import { httpLiar } from "../http-liar.ts";
import { type HttpLie, httpLies } from "../lies/http.ts";
import type { Component } from "../play.ts";

const lies = httpLies({
  unavailable: ["unavailable", "deadline"],
  refused: ["too-large", "deadline"],
  tooMuch: ["too-large", "unsupported"],
  redirected: ["unsupported"],
});

/** What etcd says of its cluster's version, for which HTTP of the older kind is spoken on the same port. */
export const etcdVersion: Component = {
  name: "etcd-version",
  reads: { version: { filler: '{"etcdserver": "3.5.16"} ' } },
  lies: {
    ...lies,
    // Only the text is read, whatever the status.
    "endless-error": { ...lies["endless-error"], ends: ["too-large"] } as HttpLie,
    "endless-answer": { ...lies["endless-answer"], ends: ["too-large"] } as HttpLie,
  },
  serve: (lying) =>
    httpLiar(
      (_, response) => response.end('{"etcdserver":"3.5.16","etcdcluster":"3.5.0"}'),
      lying && { read: lying.read, lie: lying.lie as HttpLie },
    ),
  connect(address, timeoutMs) {
    const client = connectEtcd({ address });
    return { ask: () => client.clusterVersion({ timeoutMs }), close: () => client.close() };
  },
  codeOf: (error) => (error instanceof EtcdError ? error.code : undefined),
};
