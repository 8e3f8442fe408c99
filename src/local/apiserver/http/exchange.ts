import type { IncomingMessage, ServerResponse } from "node:http";
import { parse as parseYaml } from "yaml";
import { ApiError, badRequest } from "../api-error.ts";
import { decodeProtobuf, PROTOBUF } from "../kinds/protobuf.ts";
import { isObject, type JsonObject } from "../kube-object.ts";
import { duplicateFields } from "./duplicate-fields.ts";

const MAX_BODY = 3 * 1024 * 1024;

export interface User {
  readonly username: string;
  readonly uid?: string;
  readonly groups: readonly string[];
}

/** One request and the answer to it. */
export class Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly url: URL;
  readonly user: User;
  readonly signal: AbortSignal;
  // A set, for a write that is tried again warns again.
  readonly #warnings = new Set<string>();
  #sent = "";

  constructor(request: IncomingMessage, response: ServerResponse, user: User) {
    this.request = request;
    this.response = response;
    this.url = new URL(request.url ?? "/", "https://localhost");
    this.user = user;
    const gone = new AbortController();
    response.once("close", () => gone.abort());
    this.signal = gone.signal;
  }

  get method(): string {
    return this.request.method ?? "GET";
  }

  get query(): URLSearchParams {
    return this.url.searchParams;
  }

  get contentType(): string {
    return (this.request.headers["content-type"] ?? "").split(";")[0]?.trim() ?? "";
  }

  readonly warn = (text: string): void => {
    this.#warnings.add(`299 - ${JSON.stringify(text)}`);
  };

  async text(): Promise<string> {
    return (await this.raw()).toString("utf8");
  }

  async raw(): Promise<Buffer> {
    const chunks: Buffer[] = [];
    let size = 0;
    for await (const chunk of this.request as AsyncIterable<Buffer>) {
      size += chunk.length;
      // Read to its end all the same: what is left would be taken for the next request of this connection.
      if (size <= MAX_BODY) chunks.push(chunk);
    }
    if (size > MAX_BODY)
      throw new ApiError(413, "RequestEntityTooLarge", `Request entity too large: limit is ${MAX_BODY}`);
    return Buffer.concat(chunks);
  }

  /** The object that the client sent, as JSON or YAML; `kind` is what is expected, for messages. */
  async body(kind: string): Promise<JsonObject> {
    const type = this.contentType || "application/json";
    if (type === PROTOBUF) return decodeProtobuf(await this.raw());
    if (type !== "application/json" && type !== "application/yaml")
      throw new ApiError(415, "UnsupportedMediaType", BODY_TYPES);
    const text = await this.text();
    this.#sent = text;
    const value = type === "application/json" ? parsedJson(text, kind) : (parseYaml(text) as unknown);
    if (isObject(value)) return value;
    throw badRequest(`the object provided is unrecognized (must be of type ${kind}): couldn't get version/kind`);
  }

  /** Fields that the JSON of the body gives twice, of which the last was taken. */
  duplicateFields(): string[] {
    return this.contentType === "application/yaml" ? [] : duplicateFields(this.#sent);
  }

  json(code: number, body: unknown, contentType?: string): void {
    this.bytes(code, Buffer.from(`${JSON.stringify(body)}\n`, "utf8"), contentType);
  }

  bytes(code: number, body: Buffer, contentType = "application/json"): void {
    this.head(code, { "content-type": contentType, "content-length": body.length });
    this.response.end(body);
  }

  head(code: number, headers: Readonly<Record<string, string | number>>): void {
    if (this.#warnings.size > 0) this.response.setHeader("warning", [...this.#warnings]);
    this.response.writeHead(code, { "cache-control": "no-cache, private", ...headers });
  }

  text404(): void {
    this.bytes(404, Buffer.from("404 page not found\n"), "text/plain; charset=utf-8");
  }
}

const BODY_TYPES =
  "the body of the request was in an unknown format - accepted media types include: " +
  "application/json, application/yaml, application/vnd.kubernetes.protobuf";

function parsedJson(text: string, kind: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const why =
      text.trim() === "" || isCutOff(text) ? "unexpected end of JSON input" : String((error as Error).message);
    const shown = text === "" ? "<empty>" : text.slice(0, 1024);
    const what = `the object provided is unrecognized (must be of type ${kind})`;
    throw badRequest(`${what}: couldn't get version/kind; json parse error: ${why} (${shown})`);
  }
}

function isCutOff(text: string): boolean {
  return /^\s*[{[]/.test(text) && !/[}\]]\s*$/.test(text);
}
