import type { ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { connectEtcd, type EtcdClient, EtcdError } from "@etcd-operator/etcd-client";
import { systemClock } from "@etcd-operator/kubernetes-client";
import type { Routes, Uploads, WorkerRequest } from "@etcd-operator/object-store";
import { idIn, WorkerError, workerErrorOf } from "@etcd-operator/object-store";
import { type MemberOrder, parseOrder, SNAPSHOT_ROUTE, type WorkerLine } from "../direct/member-order.ts";
import type { Sent } from "../snapshot/read-back.ts";
import { SnapshotError } from "../snapshot/snapshot-error.ts";
import { SnapshotSource } from "../snapshot/snapshot-source.ts";
import { inLargePieces } from "./large-pieces.ts";

// Often enough for progress, and far more often than any timeout for a dead connection.
const PROGRESS_MS = 1_000;

/**
 * How a worker gets a snapshot from a member by itself, so that it does not pass through the operator. The file
 * becomes an object as with any upload.
 */
export function snapshotRoute(uploads: Uploads): Routes {
  const answer = async (request: WorkerRequest, response: ServerResponse) => {
    const [id, order] = [idIn(request.query), parseOrder(await text(request.body))];
    const taking = new Taking(order);
    response.once("close", () => taking.cancel(new Error("the client has disconnected")));
    response.writeHead(200, { "content-type": "application/x-ndjson" });
    const say = (line: WorkerLine | Failure) => response.write(`${JSON.stringify(line)}\n`);
    const tell = () => say({ kind: "progress", bytes: taking.bytes });
    tell();
    const timer = setInterval(tell, PROGRESS_MS);
    try {
      say(await taking.into(uploads, id));
    } catch (error) {
      // The client may be gone, and then nothing else would.
      await uploads.cancel(id);
      say(failureLine(error));
    } finally {
      clearInterval(timer);
      taking.end();
      response.end();
    }
  };
  return { [`${SNAPSHOT_ROUTE.method} ${SNAPSHOT_ROUTE.path}`]: answer };
}

/** Refusals as of every route: the code of a store. */
interface Failure {
  readonly code: string;
  readonly message: string;
}

/** One snapshot on its way from a member to a file. */
class Taking {
  bytes = 0;
  readonly #order: MemberOrder;
  readonly #client: EtcdClient;
  readonly #abort = new AbortController();

  constructor(order: MemberOrder) {
    this.#order = order;
    this.#client = connectEtcd(order.endpoint, { expectClusterId: order.clusterId });
  }

  async into(uploads: Uploads, id: string): Promise<WorkerLine> {
    const why = await this.#whyUnreachable();
    if (why !== undefined) return { kind: "unreachable", why };
    return { kind: "taken", sent: await this.#write(uploads, id) };
  }

  cancel = (why: Error): void => {
    if (!this.#abort.signal.aborted) this.#abort.abort(why);
  };

  end(): void {
    this.#client.close();
  }

  async #whyUnreachable(): Promise<string | undefined> {
    const { memberId, endpoint } = this.#order;
    try {
      const status = await this.#client.status({ signal: this.#abort.signal });
      if (status.memberId === memberId) return undefined;
      return `another member answers at ${endpoint.address} from where the worker is`;
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    }
  }

  async #write(uploads: Uploads, id: string): Promise<Sent> {
    const { signal } = this.#abort;
    const { endpoint, dbSizeBytes: expectedBytes } = this.#order;
    const source = new SnapshotSource(this.#client.snapshot({ signal }), {
      clock: systemClock,
      from: `etcd ${endpoint.address}`,
      expectedBytes,
      cancel: this.cancel,
      beforeEnd: async () => undefined,
    });
    const onBytes = (bytes: number) => {
      this.bytes = bytes;
    };
    try {
      await uploads.writeWhole(id, inLargePieces(source, onBytes));
    } catch (error) {
      // The error of a cancelled call is not the cause.
      throw signal.aborted ? signal.reason : error;
    }
    return source.sent;
  }
}

function failureLine(error: unknown): WorkerLine | Failure {
  // An upload wraps what its source throws.
  const cause = error instanceof WorkerError ? error.cause : error;
  if (cause instanceof SnapshotError) return { kind: "failed", code: cause.code, message: cause.message };
  if (cause instanceof EtcdError) return { kind: "failed", code: "no-member", message: cause.message };
  const { code, message } = workerErrorOf(error);
  return { code, message };
}
