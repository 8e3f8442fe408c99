import { Attempts } from "../attempts.ts";
import { wholeText } from "../bounded-body.ts";
import { type GuardedCall, guardedCall } from "../guarded-call.ts";
import { ObjectStoreError } from "../object-store-error.ts";
import type { Part } from "../part-reader.ts";
import { sentBody } from "../sent-body.ts";
import type { GcsClient, ObjectResource } from "./gcs-client.ts";
import type { GoogleAnswer } from "./google-http.ts";

/** How much of the object Google has, or the object. */
type Progress = { readonly kept: number } | { readonly object: ObjectResource };

const OK = [200, 201];
const INCOMPLETE = 308;
/** "Client closed request", which is what Google says to a cancellation that succeeded. */
const CANCELLED = 499;

/**
 * A resumable upload. Google keeps its bytes apart until the last has come, so there is no object before; an upload
 * that is neither completed nor cancelled is dropped after a week.
 */
export class UploadSession {
  readonly #client: GcsClient;
  readonly #address: string;
  readonly #call: GuardedCall;
  #isFinishing = false;

  private constructor(client: GcsClient, address: string, call: GuardedCall) {
    this.#client = client;
    this.#address = address;
    this.#call = call;
  }

  /** One that is called off before its address is known stays without a byte, until it is dropped. */
  static async begin(client: GcsClient, key: string, call: GuardedCall): Promise<UploadSession> {
    return await guardedCall(call, async ({ signal }) => {
      const path = `/upload${client.objectsPath()}`;
      const query = { uploadType: "resumable", name: key };
      const headers = { "x-upload-content-type": "application/octet-stream", "content-length": "0" };
      const { headers: said, body } = await client.send({ method: "POST", path, query, headers, signal }, OK);
      await wholeText(body);
      if (typeof said.location === "string") return new UploadSession(client, said.location, call);
      throw defect(call, "Google started an upload without an address for it");
    });
  }

  /** Sends a part until Google has all of it. After the last one there is an object. */
  async send(part: Part): Promise<ObjectResource | undefined> {
    const attempts = new Attempts(this.#call.tuning, this.#call.signal);
    const end = part.offset + part.bytes.length;
    this.#isFinishing = part.isLast;
    let known = part.offset;
    let kept: number | undefined = known;
    for (;;) {
      try {
        const progress: Progress = kept === undefined ? await this.#ask() : await this.#put(part, kept);
        if ("object" in progress) return this.#completed(progress.object, part);
        if (progress.kept < part.offset || progress.kept > end)
          throw defect(this.#call, "Google lost a part of the upload");
        if (progress.kept === end && !part.isLast) return undefined;
        if (progress.kept > known) attempts.progressed();
        else if (kept !== undefined) throw stuck(this.#call);
        kept = known = progress.kept;
      } catch (error) {
        await attempts.failed(error);
        kept = undefined;
      }
    }
  }

  /** Calls the upload off. Where it was too late for that, the object that there is now. */
  async cancel(): Promise<ObjectResource | undefined> {
    // The caller that waits for this has canceled the rest, or it has failed already.
    const call = { ...this.#call, signal: undefined, tuning: { ...this.#call.tuning, attempts: 2 } };
    try {
      const status = await guardedCall(call, async ({ signal }) => {
        const headers = { "content-length": "0" };
        const answer = await this.#client.sendToUpload("DELETE", this.#address, { headers, signal }, [
          CANCELLED,
          404,
          410,
        ]);
        await wholeText(answer.body);
        return answer.status;
      });
      if (status === CANCELLED || !this.#isFinishing) return undefined;
      const progress = await this.#ask(call);
      return "object" in progress ? progress.object : undefined;
    } catch {
      return undefined;
    }
  }

  async #put({ bytes, offset, isLast }: Part, kept: number): Promise<Progress> {
    const rest = bytes.subarray(kept - offset);
    const end = offset + bytes.length;
    const place = rest.length === 0 ? "*" : `${kept}-${end - 1}`;
    const headers = { "content-length": String(rest.length), "content-range": `bytes ${place}/${isLast ? end : "*"}` };
    return await guardedCall(once(this.#call), async (guard) => {
      const { signal } = guard;
      const body = rest.length === 0 ? {} : { body: sentBody(rest, guard) };
      return await progressOf(
        await this.#client.sendToUpload("PUT", this.#address, { headers, signal, ...body }, [...OK, INCOMPLETE]),
      );
    });
  }

  async #ask(call = this.#call): Promise<Progress> {
    const headers = { "content-length": "0", "content-range": "bytes */*" };
    return await guardedCall(once(call), async ({ signal }) =>
      progressOf(await this.#client.sendToUpload("PUT", this.#address, { headers, signal }, [...OK, INCOMPLETE])),
    );
  }

  #completed(object: ObjectResource, { offset, bytes, isLast }: Part): ObjectResource {
    const sent = offset + bytes.length;
    if (isLast && Number(object.size) === sent) return object;
    throw defect(this.#call, `${sent} bytes were sent, and Google has made an object of ${object.size}`);
  }
}

/** Failures are counted over the whole part, not over one request. */
function once(call: GuardedCall): GuardedCall {
  return { ...call, tuning: { ...call.tuning, attempts: 1 } };
}

async function progressOf({ status, headers, body }: GoogleAnswer): Promise<Progress> {
  const text = await wholeText(body);
  if (status !== INCOMPLETE) return { object: JSON.parse(text) as ObjectResource };
  const [, last] = /^bytes=0-(\d+)$/.exec(String(headers.range ?? "")) ?? [];
  return { kept: last === undefined ? 0 : Number(last) + 1 };
}

function defect({ operation }: GuardedCall, message: string): ObjectStoreError {
  return new ObjectStoreError("corrupt", { operation, message: `${message}; begin again` });
}

function stuck({ operation }: GuardedCall): ObjectStoreError {
  return new ObjectStoreError("unavailable", {
    operation,
    message: "Google takes nothing of the upload; try again later",
  });
}
