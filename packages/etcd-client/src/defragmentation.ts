import { type IncomingMessage, request } from "node:http";
import { deadline } from "./deadline.ts";

/** How long and how much of a page of metrics is read, before a member counts as one that says nothing of the kind. */
const LIMIT_BYTES = 4 * 1024 * 1024;
const INFLIGHT = /^etcd_disk_defrag_inflight(?:\{[^}]*\})?[ \t]+(\S+)/m;

export interface MetricsQuestion {
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/**
 * Whether the etcd whose metrics are at `address` is defragmenting its database. Meanwhile it answers neither Status
 * nor `/livez`, `/readyz` and `/health`; its metrics it does (measured on 3.5.30, 458 MB in 4.9 s). What cannot be read
 * says nothing: false.
 */
export async function isDefragmenting(address: string, { timeoutMs, signal }: MetricsQuestion): Promise<boolean> {
  const limit = deadline(timeoutMs, signal);
  try {
    const found = await findLine(await answerOf(address, limit.signal), INFLIGHT);
    return found !== undefined && Number(found) > 0;
  } catch {
    signal.throwIfAborted();
    return false;
  } finally {
    limit.release();
  }
}

async function answerOf(address: string, signal: AbortSignal): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const url = `http://${address}/metrics`;
    request(url, { signal, agent: false, headers: { connection: "close" } }, resolve)
      .once("error", reject)
      .end();
  });
}

/** Reads until the line is there, and not on. */
async function findLine(answer: IncomingMessage, line: RegExp): Promise<string | undefined> {
  try {
    if (answer.statusCode !== 200) return undefined;
    let [rest, bytes] = ["", 0];
    for await (const chunk of answer) {
      bytes += (chunk as Buffer).length;
      const text = rest + (chunk as Buffer).toString("latin1");
      // The last line may go on in the next chunk.
      const end = text.lastIndexOf("\n") + 1;
      const found = line.exec(text.slice(0, end))?.[1];
      if (found !== undefined || bytes > LIMIT_BYTES) return found;
      rest = text.slice(end).slice(-1024);
    }
    return line.exec(rest)?.[1];
  } finally {
    answer.destroy();
  }
}
