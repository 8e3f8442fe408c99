import type { EtcdClient, KeyValue } from "@etcd-operator/etcd-client";
import { EtcdError } from "@etcd-operator/etcd-client";
import type { Comparison, TransactionResult } from "@etcd-operator/etcd-client/transaction.ts";
import { isRefusal } from "@etcd-operator/testing/scenario/data/witness.ts";
import type { Action, Outcome, Seen } from "../history/operation.ts";
import type { Value } from "../linearizability/register.ts";

type Asked = Pick<EtcdClient, "range" | "put" | "delete" | "transaction">;

/** Asks once, and says what is known of what came of it. */
export async function ask(client: Asked, key: string, action: Action): Promise<Outcome> {
  try {
    return await answerOf(client, key, action);
  } catch (error) {
    if (!(error instanceof EtcdError)) throw error;
    return { kind: isRefusal(error) ? "refused" : "unknown", why: `${error.code}: ${error.message}` };
  }
}

async function answerOf(client: Asked, key: string, action: Action): Promise<Outcome> {
  switch (action.kind) {
    case "read": {
      const { revision, keyValues } = await client.range({ key });
      return { kind: "ok", revision, hasChanged: false, seen: seenOf(keyValues[0]) };
    }
    case "write": {
      const { revision } = await client.put({ key, value: action.to });
      return { kind: "ok", revision, hasChanged: true, seen: undefined };
    }
    case "delete": {
      const { revision, deleted, previous } = await client.delete({ key, withPrevious: true });
      return { kind: "ok", revision, hasChanged: deleted > 0, seen: seenOf(previous[0]) };
    }
    case "swap":
      return swapped(
        await client.transaction({
          compare: [holds(key, action.from)],
          success: [{ kind: "put", key, value: action.to }],
          failure: [{ kind: "range", key }],
        }),
      );
  }
}

function holds(key: string, value: Value): Comparison {
  if (value === undefined) return { key, target: "version", is: "=", to: 0n };
  return { key, target: "value", is: "=", to: value };
}

function swapped({ revision, succeeded, results }: TransactionResult): Outcome {
  const found = results.find((result) => result.kind === "range")?.keyValues[0];
  return { kind: "ok", revision, hasChanged: succeeded, seen: seenOf(found) };
}

function seenOf(found: KeyValue | undefined): Seen | undefined {
  return found && { value: Buffer.from(found.value).toString(), modRevision: found.modRevision };
}
