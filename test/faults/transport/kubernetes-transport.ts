import type { Answered, Ask, Asked } from "../world/in-process-carrier.ts";
import type { Fault } from "./fault.ts";
import type { Life } from "./life.ts";
import type { Writes } from "./writes.ts";

/** Between the operator's client and the API server: counts the writes, and does to one of them what the plan says. */
export function faultyAsk(ask: Ask, writes: Writes, life: Life): Ask {
  return async (asked) => {
    life.signal.throwIfAborted();
    const fault = isCounted(asked) ? writes.next(describe(asked)) : undefined;
    const answer = await life.awaited(fault ? answerWith(fault, ask, asked, life) : ask(asked));
    return { ...answer, body: untilOver(answer.body, life) };
  };
}

async function answerWith(fault: Fault, ask: Ask, asked: Asked, life: Life): Promise<Answered> {
  switch (fault) {
    case "crash-before":
      life.crash();
      return never(asked);
    case "crash-after":
      await done(ask, asked);
      life.crash();
      return never(asked);
    case "conflict":
      return status(409, "Conflict", "Operation cannot be fulfilled: the object has been modified");
    case "too-many":
      return status(429, "TooManyRequests", "Too many requests, please try again later.", { "retry-after": "1" });
    case "error":
      return status(500, "InternalError", "Internal error occurred: the storage is unwell");
    case "lost-answer":
      await done(ask, asked);
      return never(asked);
    case "lost-request":
      return never(asked);
    case "twice":
      await done(ask, asked);
      return ask(asked);
  }
}

/** Leases are the election's: they go on for ever and belong to no workload. */
function isCounted({ method, path }: Asked): boolean {
  return method !== "GET" && !path.includes("/leases");
}

/** Such as "PUT etcdclusters/status". */
function describe({ method, path }: Asked): string {
  const [plural = "", , subresource] = (path.split("?")[0] ?? "").replace(/^.*\/namespaces\/[^/]+\//, "").split("/");
  return `${method} ${plural}${subresource ? `/${subresource}` : ""}`;
}

/** As one who does not answer: until the one who asks gives up. */
async function never({ signal }: Asked): Promise<never> {
  return new Promise((_, reject) => {
    const leave = () => reject(signal?.reason ?? new Error("nobody waits any longer"));
    if (signal?.aborted) leave();
    else signal?.addEventListener("abort", leave, { once: true });
  });
}

/** Asks, whether or not anybody waits for the answer. */
async function done(ask: Ask, asked: Asked): Promise<void> {
  const { body } = await ask({ ...asked, signal: undefined });
  for await (const _ of body);
}

function status(code: number, reason: string, message: string, headers: Record<string, string> = {}): Answered {
  const body = JSON.stringify({ kind: "Status", apiVersion: "v1", status: "Failure", reason, message, code });
  return { statusCode: code, headers: { "content-type": "application/json", ...headers }, body: once(body) };
}

async function* once(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}

async function* untilOver(body: AsyncIterable<Uint8Array>, life: Life): AsyncGenerator<Uint8Array> {
  const chunks = body[Symbol.asyncIterator]();
  for (;;) {
    const { done, value } = await life.awaited(chunks.next());
    if (done) return;
    yield value;
  }
}
