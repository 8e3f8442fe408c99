import type { SeenWrite } from "@etcd-operator/testing/loops/loops.ts";
import { answeredWrite } from "@etcd-operator/testing/loops/seen-write.ts";
import type { Answered, Ask, Asked } from "../world/in-process-carrier.ts";
import { applyFault, type Words } from "./apply-fault.ts";
import type { Life } from "./life.ts";
import type { NumberedWrites } from "./writes.ts";

/** Between the operator's client and the API server: counts the writes, and does to one of them what the plan says. */
export function faultyAsk(ask: Ask, writes: NumberedWrites, life: Life): Ask {
  return async (asked) => {
    life.signal.throwIfAborted();
    const fault = isCounted(asked) ? writes.next(describe(asked), asked.body) : undefined;
    const answer = await life.awaited(fault ? applyFault(fault, wordsOf(ask, asked), life) : ask(asked));
    return { ...answer, body: untilOver(answer.body, life) };
  };
}

/** Beneath the faults: reports every write that the API server has answered. */
export function notedAsk(ask: Ask, note: (write: SeenWrite) => void, nowMs = () => performance.now()): Ask {
  return async (asked) => {
    const { method, path } = asked;
    if (method === "GET") return ask(asked);
    const { statusCode, headers, body } = await ask(asked);
    const chunks = await chunksOf(body);
    const answer = Buffer.concat(chunks).toString();
    const write = answeredWrite({ atMs: nowMs(), method, path, statusCode, answer });
    if (write) note(write);
    return { statusCode, headers, body: again(chunks) };
  };
}

function wordsOf(ask: Ask, asked: Asked): Words<Answered> {
  return {
    send: () => whole(ask({ ...asked, signal: undefined })),
    refuse: async (fault) => REFUSALS[fault],
    silence: () => never(asked),
  };
}

const REFUSALS = {
  conflict: status(409, "Conflict", "Operation cannot be fulfilled: the object has been modified"),
  "too-many": status(429, "TooManyRequests", "Too many requests, please try again later.", { "retry-after": "1" }),
  error: status(500, "InternalError", "Internal error occurred: the storage is unwell"),
};

/** Leases are the election's: they go on for ever and belong to no workload. A dry run writes nothing. */
function isCounted({ method, path }: Asked): boolean {
  return method !== "GET" && !path.includes("/leases") && !path.includes("dryRun=");
}

/** Such as "PUT etcdclusters/status". */
function describe({ method, path }: Asked): string {
  const [plural = "", , subresource] = (path.split("?")[0] ?? "").replace(/^.*\/namespaces\/[^/]+\//, "").split("/");
  return `${method} ${plural}${subresource ? `/${subresource}` : ""}`;
}

/** Like a server that does not answer: until the caller's timeout. */
async function never({ signal }: Asked): Promise<never> {
  return new Promise((_, reject) => {
    const leave = () => reject(signal?.reason ?? new Error("the caller waits no longer"));
    if (signal?.aborted) leave();
    else signal?.addEventListener("abort", leave, { once: true });
  });
}

/** The answer, once all of it is there: what was sent is then done, whether or not the caller waits for it. */
async function whole(answer: Promise<Answered>): Promise<Answered> {
  const { body, ...head } = await answer;
  return { ...head, body: again(await chunksOf(body)) };
}

async function chunksOf(body: AsyncIterable<Uint8Array>): Promise<readonly Uint8Array[]> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return chunks;
}

function status(code: number, reason: string, message: string, headers: Record<string, string> = {}): Answered {
  const body = JSON.stringify({ kind: "Status", apiVersion: "v1", status: "Failure", reason, message, code });
  return {
    statusCode: code,
    headers: { "content-type": "application/json", ...headers },
    body: again([Buffer.from(body)]),
  };
}

function again(chunks: readonly Uint8Array[]): AsyncIterable<Uint8Array> {
  return {
    async *[Symbol.asyncIterator]() {
      yield* chunks;
    },
  };
}

async function* untilOver(body: AsyncIterable<Uint8Array>, life: Life): AsyncGenerator<Uint8Array> {
  const chunks = body[Symbol.asyncIterator]();
  for (;;) {
    const { done, value } = await life.awaited(chunks.next());
    if (done) return;
    yield value;
  }
}
