import type { Readable } from "node:stream";
import { refusalText } from "../bounded-body.ts";
import type { AccessTokens } from "./access-tokens.ts";
import { GcsRefusal } from "./gcs-error.ts";
import type { GoogleAnswer, GoogleHttp, GoogleRequest } from "./google-http.ts";

const SERVICE = "https://storage.googleapis.com";

/** An object as Google describes it. */
export interface ObjectResource {
  readonly name: string;
  /** A decimal number, for it may be larger than JSON's numbers. */
  readonly size: string;
  readonly updated: string;
}

export interface ClientRequest extends Pick<GoogleRequest, "method" | "headers" | "signal"> {
  readonly path: string;
  readonly query?: Readonly<Record<string, string | undefined>>;
}

/** The JSON API of Google Cloud Storage for one bucket. Throws GcsRefusals for answers that are not asked for. */
export class GcsClient {
  readonly bucket: string;
  readonly #http: GoogleHttp;
  readonly #tokens: AccessTokens;

  constructor(bucket: string, http: GoogleHttp, tokens: AccessTokens) {
    this.bucket = bucket;
    this.#http = http;
    this.#tokens = tokens;
  }

  get identity(): string {
    return this.#tokens.identity;
  }

  objectsPath(key?: string): string {
    const objects = `/storage/v1/b/${encodeURIComponent(this.bucket)}/o`;
    return key === undefined ? objects : `${objects}/${encodeURIComponent(key)}`;
  }

  /** With a token; a new one is tried once when it is refused. */
  async send(
    { method, path, query = {}, headers = {}, signal }: ClientRequest,
    expected: readonly number[],
  ): Promise<GoogleAnswer> {
    const url = `${SERVICE}${path}${queryString(query)}`;
    const attempt = (token: string) =>
      this.#http.send({ method, url, headers: { ...headers, authorization: `Bearer ${token}` }, signal });
    const token = await this.#tokens.current(signal);
    let answer = await attempt(token);
    if (answer.status === 401) {
      this.#tokens.drop(token);
      const renewed = await this.#tokens.current(signal);
      if (renewed !== token) {
        await refusalText(answer.body);
        answer = await attempt(renewed);
      }
    }
    return await accepted(answer, expected);
  }

  /** To the address of an upload, which is all the proof it takes: a token that ends meanwhile does no harm. */
  async sendToUpload(
    method: "PUT" | "DELETE",
    address: string,
    { headers, body, signal }: { headers: Readonly<Record<string, string>>; body?: Readable; signal: AbortSignal },
    expected: readonly number[],
  ): Promise<GoogleAnswer> {
    const answer = await this.#http.send({ method, url: address, headers, signal, ...(body && { body }) });
    if (answer.status !== 404 || expected.includes(404)) return await accepted(answer, expected);
    // "Not found" is the upload here, and not the object.
    throw new GcsRefusal(410, await refusalText(answer.body));
  }

  async close(): Promise<void> {
    await this.#http.close();
  }
}

async function accepted(answer: GoogleAnswer, expected: readonly number[]): Promise<GoogleAnswer> {
  if (expected.includes(answer.status)) return answer;
  throw new GcsRefusal(answer.status, await refusalText(answer.body));
}

function queryString(query: Readonly<Record<string, string | undefined>>): string {
  const given = Object.entries(query).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return given.length === 0 ? "" : `?${new URLSearchParams(given)}`;
}
