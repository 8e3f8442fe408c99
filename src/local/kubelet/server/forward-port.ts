import type { Socket } from "node:net";
import type { Duplex, Writable } from "node:stream";
import { messageOf } from "../kubelet-error.ts";

/** One connection of a client to a port of a pod. */
export interface Forwarding {
  readonly port: number;
  readonly data: Duplex;
  /** What went wrong is told here; ending it without a word means that nothing did. */
  readonly failure: Writable;
}

/** The pod whose ports are forwarded, and the way into its network. */
export interface ForwardedPod {
  readonly uid: string;
  dial(port: number): Promise<Socket>;
}

/** Joins a client's stream to a port inside the pod, until either has ended. Each direction ends, and waits, on its own. */
export async function forwardPort({ port, data, failure }: Forwarding, pod: ForwardedPod): Promise<void> {
  let socket: Socket;
  try {
    socket = await pod.dial(port);
  } catch (error) {
    failure.end(`error forwarding port ${port} to pod ${pod.uid}, uid : ${messageOf(error)}`);
    data.destroy();
    return;
  }
  if (data.destroyed) return void socket.destroy();
  socket.pipe(data);
  data.pipe(socket);
  await new Promise<void>((resolve) => {
    // A pod that breaks off is what a client may see, and no failure of the forwarding.
    socket.once("error", () => data.destroy());
    socket.once("end", resolve).once("close", resolve);
    data.once("close", () => {
      socket.destroy();
      resolve();
    });
  });
  failure.end();
}
