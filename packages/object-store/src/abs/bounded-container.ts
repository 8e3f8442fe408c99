import type { Readable } from "node:stream";
import { ContainerClient, type StoragePipelineOptions, type StorageSharedKeyCredential } from "@azure/storage-blob";
import { refusalText, wholeText } from "../bounded-body.ts";
import { ObjectStoreError } from "../object-store-error.ts";

const ANY_STATUS = new Set([Number.POSITIVE_INFINITY]);

type Policy = Parameters<ContainerClient["storageClientContext"]["pipeline"]["addPolicy"]>[0];

/**
 * Azure's library, which reads lists and errors to their end, is handed answers that were read up to a limit. The
 * contents of a blob go on to the one that asked. An address that an answer names is not asked: it is in no Secret.
 */
export class BoundedContainer extends ContainerClient {
  constructor(url: string, credential: StorageSharedKeyCredential, options: StoragePipelineOptions) {
    super(url, credential, options);
    // The clients of blobs share it. What is after the retries is next to the connection.
    this.storageClientContext.pipeline.addPolicy(boundedAnswers, { afterPhase: "Retry" });
  }
}

const boundedAnswers: Policy = {
  name: "boundedAnswers",
  async sendRequest(request, next) {
    const { streamResponseStatusCodes: streamed } = request;
    request.streamResponseStatusCodes = ANY_STATUS;
    const answer = await next(request);
    if (streamed) request.streamResponseStatusCodes = streamed;
    else delete request.streamResponseStatusCodes;
    const { status } = answer;
    const body = answer.readableStreamBody as Readable | undefined;
    if (status >= 300 && status < 400 && status !== 304) throw redirected(status, body);
    if (streamed?.has(status) || streamed?.has(Number.POSITIVE_INFINITY)) return answer;
    if (body) answer.bodyAsText = await (status < 300 ? wholeText(body) : refusalText(body));
    delete answer.readableStreamBody;
    return answer;
  },
};

function redirected(status: number, body: Readable | undefined): ObjectStoreError {
  body?.on("error", () => undefined).destroy();
  const message = `the server answered ${status} and names another address, which is not asked: correct 'cloud' in the Secret`;
  return new ObjectStoreError("invalid", { operation: "ask abs", message });
}
