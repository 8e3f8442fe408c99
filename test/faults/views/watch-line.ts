import { keyOf, type Stored } from "@etcd-operator/kubernetes-client";
import { jsonLines } from "@etcd-operator/kubernetes-client/requests/json-lines.ts";

/** A line of a watch. */
export interface Line {
  readonly type: string;
  readonly object: Stored;
}

export async function* linesOf(body: AsyncIterable<Uint8Array>): AsyncGenerator<Line> {
  // A server that is tested elsewhere wrote it.
  for await (const line of jsonLines(body)) yield line as Line;
}

export function textOf(line: Line): string {
  return `${JSON.stringify(line)}\n`;
}

/** Whether a line reports an object: not a bookmark, and no failure. */
export function isOfObject({ type }: Line): boolean {
  return type === "ADDED" || type === "MODIFIED" || type === "DELETED";
}

export function revisionOf({ object }: Line): bigint {
  return BigInt(object.metadata?.resourceVersion ?? 0);
}

export function objectOf({ object }: Line): string {
  return keyOf(object.metadata);
}

const EXPIRED = {
  ...{ kind: "Status", apiVersion: "v1", metadata: {}, status: "Failure" },
  ...{ reason: "Expired", code: 410 },
};

/** What an API server says, as an answer or within a watch, when it does not know any more what one asks for. */
export function expiredStatus(message: string): object {
  return { ...EXPIRED, message };
}

export function expiredLine(message = "too old resource version"): Line {
  return { type: "ERROR", object: expiredStatus(message) as Stored };
}
