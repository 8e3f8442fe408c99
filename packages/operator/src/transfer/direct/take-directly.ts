import type { IncomingMessage } from "node:http";
import {
  IDLE_TIMEOUT_MS,
  idleGuard,
  interrupted,
  ObjectStoreError,
  type ObjectStoreErrorCode,
  type WorkerClient,
  WorkerUpload,
  workerFailure,
} from "@etcd-operator/object-store";
import type { Sent } from "../snapshot/read-back.ts";
import { SnapshotError } from "../snapshot/snapshot-error.ts";
import { type MemberOrder, orderText, SNAPSHOT_ROUTE, type WorkerLine } from "./member-order.ts";

/** A store whose own end can get a snapshot from a member, so that the bytes take the short way. */
export type TakeDirectly = (taking: DirectTaking, signal: AbortSignal) => Promise<Sent | "unreachable">;

export interface DirectTaking {
  readonly order: MemberOrder;
  readonly key: string;
  readonly onProgress: (bytes: number) => void;
  /** Called when all is written and in order, right before it becomes an object. */
  readonly beforeEnd: () => Promise<void>;
}

/**
 * Has a worker take the snapshot of a member into its volume. "unreachable" when the worker cannot reach the member,
 * which the operator may still do. Leaves nothing behind when it fails.
 */
export async function takeDirectly(
  client: WorkerClient,
  operation: string,
  { order, key, onProgress, beforeEnd }: DirectTaking,
  signal: AbortSignal,
): Promise<Sent | "unreachable"> {
  const upload = new WorkerUpload<unknown>(client, { operation, signal, finish: { key } });
  let sent: Sent | undefined;
  try {
    const last = await lastLine(client, { operation, id: upload.id, order, onProgress }, signal);
    if (last.kind === "unreachable") return "unreachable";
    if (last.kind === "failed") throw new SnapshotError(last.code, last.message);
    sent = last.sent;
    await beforeEnd();
    await upload.finish(sent.sizeBytes);
    return sent;
  } catch (error) {
    // It is too late when only the answer was lost, or the transfer was cancelled at the last moment: then the object
    // exists.
    const made = await upload.takeBack();
    if (made && sent) return sent;
    throw error;
  }
}

interface Asking extends Pick<DirectTaking, "order" | "onProgress"> {
  readonly operation: string;
  readonly id: string;
}

type LastLine = Exclude<WorkerLine, { kind: "progress" }>;

async function lastLine(
  client: WorkerClient,
  { operation, id, order, onProgress }: Asking,
  signal: AbortSignal,
): Promise<LastLine> {
  const guard = idleGuard(signal, client.tuning.idleTimeoutMs ?? IDLE_TIMEOUT_MS);
  const call = { operation, ...SNAPSHOT_ROUTE, query: { id }, body: Buffer.from(orderText(order)) };
  try {
    const response = await client.begin(call, { signal: guard.signal, guard });
    for await (const text of linesOf(response)) {
      guard.touch();
      const line = meant(operation, text);
      if (line.kind !== "progress") return line;
      onProgress(line.bytes);
    }
    throw new Error("its response is incomplete");
  } catch (error) {
    throw interrupted(operation, guard, signal) ?? workerFailure(operation, error);
  } finally {
    guard.end();
  }
}

/** The worker is a program of ours, and has proved it. */
function meant(operation: string, text: string): WorkerLine {
  const line = JSON.parse(text) as WorkerLine | { code: ObjectStoreErrorCode; message: string };
  if ("kind" in line) return line;
  throw new ObjectStoreError(line.code, { operation, message: line.message });
}

/** Progress takes a few dozen characters, and the sums of a large snapshot's pieces some megabytes. */
const LONGEST_LINE = 16 << 20;

async function* linesOf(response: IncomingMessage): AsyncGenerator<string> {
  let rest = "";
  for await (const chunk of response.setEncoding("utf8")) {
    const lines = (rest + chunk).split("\n");
    rest = lines.pop() ?? "";
    if (rest.length > LONGEST_LINE) throw new Error(`its response has a line longer than ${LONGEST_LINE} characters`);
    yield* lines;
  }
}
