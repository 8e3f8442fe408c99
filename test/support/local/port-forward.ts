import { type ChildProcess, spawn } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import { connect } from "node:net";
import { dirname } from "node:path";
import { buffer } from "node:stream/consumers";
import { kubectlPath } from "../kube/kubectl.ts";
import { until } from "../kube/until.ts";

/** A `kubectl port-forward` under way. */
export interface PortForward {
  /** Local ports, in the order they were asked for. */
  readonly ports: readonly number[];
  /** What kubectl has said so far. */
  output(): string;
  /** Resolves with its exit code. */
  readonly ended: Promise<number>;
  kill(signal?: NodeJS.Signals): Promise<void>;
}

/** Starts kubectl on free local ports, and returns when it listens. */
export async function startPortForward(
  kubeconfig: string,
  target: string,
  ports: readonly (number | string)[],
  env: NodeJS.ProcessEnv = {},
): Promise<PortForward> {
  const args = ["port-forward", "--address=127.0.0.1", target, ...ports.map((port) => `:${port}`)];
  const child: ChildProcess = spawn(await kubectlPath(), args, {
    env: { ...process.env, ...env, KUBECONFIG: kubeconfig, HOME: dirname(kubeconfig) },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let said = "";
  child.stdout?.on("data", (chunk: Buffer) => (said += chunk));
  child.stderr?.on("data", (chunk: Buffer) => (said += chunk));
  const ended = once(child, "close").then(([code]) => Number(code ?? -1));
  const local = () => [...said.matchAll(/^Forwarding from 127\.0\.0\.1:(\d+)/gm)].map(([, port]) => Number(port));
  const died = ended.then(() => Promise.reject(new Error(`kubectl port-forward ended: ${said}`)));
  died.catch(() => undefined);
  await until(() => local().length === ports.length, { what: "kubectl to listen", unless: died });
  return {
    ports: local(),
    output: () => said,
    ended,
    async kill(signal = "SIGTERM") {
      child.kill(signal);
      await ended;
    },
  };
}

/** Everything that a port answers to a text, until it has ended. */
export async function answerOf(port: number, text = ""): Promise<string> {
  const socket = connect({ port, host: "127.0.0.1", allowHalfOpen: true });
  socket.end(text);
  return (await buffer(socket)).toString("utf8");
}

/** Sends so many random bytes to a port that sends them back, and tells whether they did come back. */
export async function isEchoed(port: number, bytes: number): Promise<boolean> {
  const socket = connect({ port, host: "127.0.0.1", allowHalfOpen: true });
  const [sent, received] = [createHash("sha256"), createHash("sha256")];
  socket.on("data", (chunk: Buffer) => received.update(chunk));
  const over = once(socket, "end");
  for (let left = bytes; left > 0; left -= 65_536) {
    const chunk = randomBytes(Math.min(left, 65_536));
    sent.update(chunk);
    if (!socket.write(chunk)) await once(socket, "drain");
  }
  socket.end();
  await over;
  return sent.digest("hex") === received.digest("hex");
}
