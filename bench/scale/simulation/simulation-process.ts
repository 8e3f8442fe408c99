import { CLIENT_PORT } from "../../../src/api/cluster-names.ts";
import { clientFor } from "../client-for.ts";
import { Kubelet } from "./kubelet.ts";
import { MemberServer } from "./member-server.ts";
import { Members } from "./members.ts";
import type { Order, Word } from "./messages.ts";

// A program: all members of all clusters, and the kubelet of their pods.

const members = new Members();
const server = new MemberServer(members, CLIENT_PORT);

process.on("message", (order: Order) => {
  void obey(order).then(
    () => say({ kind: "done", report: { ...server.asked, members: members.size, connections: server.connections } }),
    (error: unknown) => say({ kind: "failed", why: error instanceof Error ? error.message : String(error) }),
  );
});
// Whoever started this one is gone, or wants it gone.
process.on("disconnect", () => process.exit());
// Ctrl-C reaches every process of the terminal; the one who started this one decides.
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => undefined);

async function obey(order: Order): Promise<void> {
  switch (order.do) {
    case "begin": {
      const onError = (error: unknown) => process.stderr.write(`simulated kubelet: ${String(error)}\n`);
      void new Kubelet(clientFor(order.access, "kubelet"), members, onError).run(new AbortController().signal);
      return;
    }
    case "mark":
      server.mark();
      return;
    case "report":
      return;
  }
}

function say(word: Word): void {
  if (process.connected) process.send?.(word);
}
