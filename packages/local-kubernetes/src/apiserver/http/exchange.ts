import type { IncomingMessage, ServerResponse } from "node:http";
import { parse as parseYaml } from "yaml";
import { ApiError, badRequest } from "../api-error.ts";
import { goKind } from "../kinds/go-types.ts";
import { decodeProtobuf, PROTOBUF } from "../kinds/protobuf.ts";
import { isObject, type JsonObject } from "../kube-object.ts";
import { duplicateFields } from "./duplicate-fields.ts";
import { parseJson } from "./parse-json.ts";
import { type RequestUrl, requestUrl } from "./request-url.ts";

const MAX_BODY = 3 * 1024 * 1024;

export interface User {
  readonly username: string;
  readonly uid?: string;
  readonly groups: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

/** One request and the answer to it. */
export class Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly url: RequestUrl;
  readonly user: User;
  // A set, for a write that is tried again warns again.
  readonly #warnings = new Set<string>();
  #sent = "";
  #gone: AbortController | undefined;

  constructor(request: IncomingMessage, response: ServerResponse, user: User) {
    this.request = request;
    this.response = response;
    this.url = requestUrl(request.url);
    this.user = user;
  }

  /** Tells when the client has gone, or has its answer; made for those few who ask for it. */
  get signal(): AbortSignal {
    if (this.#gone) return this.#gone.signal;
    const gone = new AbortController();
    this.#gone = gone;
    if (this.response.closed) gone.abort();
    else this.response.once("close", () => gone.abort());
    return gone.signal;
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

  // Also with a refusal, so that it is set at once.
  readonly warn = (text: string): void => {
    this.#warnings.add(`299 - ${JSON.stringify(text)}`);
    this.response.setHeader("warning", [...this.#warnings]);
  };

  async text(): Promise<string> {
    return (await this.raw()).toString("utf8");
  }

  async raw(): Promise<Buffer> {
    const chunks: Buffer[] = [];
    let size = 0;
    await new Promise<void>((resolve, reject) => {
      this.request.on("data", (chunk: Buffer) => {
        size += chunk.length;
        // Read to its end all the same: what is left would be taken for the next request of this connection.
        if (size <= MAX_BODY) chunks.push(chunk);
      });
      this.request.once("end", resolve).once("error", reject);
      // Every request closes; an error is made, with its stack, only where a caller waits for it.
      this.request.once("close", () => this.request.complete || reject(new Error("the client has gone")));
    });
    if (size > MAX_BODY)
      throw new ApiError(413, "RequestEntityTooLarge", `Request entity too large: limit is ${MAX_BODY}`);
    return chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks);
  }

  /** The object that the client sent, as JSON or YAML; `kind` is what is expected, for messages. */
  async body(kind: string, refusal?: (why: string) => Error): Promise<JsonObject> {
    const type = this.contentType || "application/json";
    if (type === PROTOBUF) return decodeProtobuf(await this.raw());
    if (type !== "application/json" && type !== "application/yaml")
      throw new ApiError(415, "UnsupportedMediaType", BODY_TYPES);
    const raw = await this.raw();
    this.#sent = raw.toString("utf8");
    const unrecognized = (why: string) =>
      badRequest(`the object provided is unrecognized (must be of type ${kind}): ${why}`);
    return parsedBody(raw, type === "application/json", refusal ?? unrecognized);
  }

  /** What the body was, for messages. */
  get sent(): string {
    return this.#sent;
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
    this.response.writeHead(code, { "cache-control": "no-cache, private", ...headers });
  }

  text404(): void {
    this.bytes(404, Buffer.from("404 page not found\n"), "text/plain; charset=utf-8");
  }
}

const BODY_TYPES =
  "the body of the request was in an unknown format - accepted media types include: " +
  "application/json, application/yaml, application/vnd.kubernetes.protobuf";

/** The object in a body; null is an empty one. */
export function parsedBody(raw: Buffer, isJson: boolean, refusal: (why: string) => Error): JsonObject {
  const text = raw.toString("utf8");
  const broken = (why: string) => refusal(`couldn't get version/kind; json parse error: ${why}`);
  const value: unknown = isJson ? parseJson(text, broken) : yamlOf(text, refusal);
  if (value === null) return {};
  const wrong = isObject(value) ? wrongTypeMeta(value) : `json: cannot unmarshal ${goKind(value)} into an object`;
  if (wrong !== undefined) throw refusal(`couldn't get version/kind; json parse error: ${wrong}`);
  const { apiVersion = "" } = value as JsonObject;
  if (String(apiVersion).split("/").length > 2) throw refusal(`unexpected GroupVersion string: ${apiVersion}`);
  return value as JsonObject;
}

function wrongTypeMeta(value: JsonObject): string | undefined {
  const field = Object.keys(value).find((key) => (key === "kind" || key === "apiVersion") && !isTextOrNull(value[key]));
  return field && `json: cannot unmarshal ${goKind(value[field])} into Go struct field .${field} of type string`;
}

function isTextOrNull(value: unknown): boolean {
  return typeof value === "string" || value === null;
}

function yamlOf(text: string, refusal: (why: string) => Error): unknown {
  try {
    return parseYaml(text);
  } catch (error) {
    throw refusal(`yaml: ${error instanceof Error ? error.message.split("\n")[0] : error}`);
  }
}
