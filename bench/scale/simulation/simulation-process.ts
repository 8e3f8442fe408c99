import { CLIENT_PORT } from "@etcd-operator/operator/api/cluster/cluster-names.ts";
import { clientFor } from "../client-for.ts";
import { Kubelet } from "./kubelet.ts";
import { type Asked, MemberServer } from "./member-server.ts";
import { Members } from "./members.ts";
import type { Order, Word } from "./messages.ts";
import { mountedCertificates } from "./mounted-certificates.ts";

// A program: all members of all clusters, and the kubelet of their pods.

const NOTHING: Asked = { calls: {}, clusters: 0, lastClusterAtMs: 0 };
const members = new Members();
let server: MemberServer | undefined;

process.on("message", (order: Order) => {
  void obey(order).then(
    () => say({ kind: "done", report: { ...(server?.asked ?? NOTHING), members: members.size } }),
    (error: unknown) => say({ kind: "failed", why: error instanceof Error ? error.message : String(error) }),
  );
});
// The process that started this one is gone, or asks it to end.
process.on("disconnect", () => process.exit());
// Ctrl-C reaches every process of the terminal; the one who started this one decides.
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => undefined);

async function obey(order: Order): Promise<void> {
  switch (order.do) {
    case "begin": {
      const client = clientFor(order.access, "kubelet");
      server = new MemberServer(members, CLIENT_PORT, order.isTls ? mountedCertificates(client) : undefined);
      const onError = (error: unknown) => process.stderr.write(`simulated kubelet: ${String(error)}\n`);
      void new Kubelet(client, members, onError).run(new AbortController().signal);
      return;
    }
    case "mark":
      server?.mark();
      return;
    case "silence":
      members.silence(order.addresses);
      return;
    case "report":
      return;
  }
}

function say(word: Word): void {
  if (process.connected) process.send?.(word);
}
