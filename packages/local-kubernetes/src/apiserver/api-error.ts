import type { Cause } from "./crd/cause.ts";
import type { JsonObject } from "./kube-object.ts";

export interface StatusDetails {
  readonly name?: string;
  readonly group?: string;
  readonly kind?: string;
  readonly uid?: string;
  readonly causes?: readonly (Cause | { readonly reason?: string; readonly message: string })[];
  readonly retryAfterSeconds?: number;
}

/** A refusal on its way to the client; the only error that a handler throws on purpose. */
export class ApiError extends Error {
  override readonly name = "ApiError";
  readonly code: number;
  readonly reason: string;
  readonly details: StatusDetails | undefined;
  /** Of the answer itself: where a list that is refused could go on. */
  readonly metadata: JsonObject;

  constructor(code: number, reason: string, message: string, details?: StatusDetails, metadata: JsonObject = {}) {
    super(message);
    this.metadata = metadata;
    this.code = code;
    this.reason = reason;
    this.details = details;
  }

  /** The body of the answer. */
  get status(): JsonObject {
    return {
      kind: "Status",
      apiVersion: "v1",
      metadata: this.metadata,
      status: "Failure",
      message: this.message,
      ...(this.reason !== "" && { reason: this.reason }),
      ...(this.details && { details: this.details }),
      code: this.code,
    };
  }
}

/** Names a resource the way messages do. */
export interface ResourceName {
  readonly group: string;
  readonly plural: string;
}

export function notFound(resource: ResourceName, name: string): ApiError {
  return new ApiError(404, "NotFound", `${qualified(resource)} "${name}" not found`, detailsOf(resource, name));
}

export function alreadyExists(resource: ResourceName, name: string): ApiError {
  return new ApiError(
    409,
    "AlreadyExists",
    `${qualified(resource)} "${name}" already exists`,
    detailsOf(resource, name),
  );
}

export function conflict(resource: ResourceName, name: string, why: string): ApiError {
  const message = `Operation cannot be fulfilled on ${qualified(resource)} "${name}": ${why}`;
  return new ApiError(409, "Conflict", message, detailsOf(resource, name));
}

export function modified(resource: ResourceName, name: string): ApiError {
  const why = "the object has been modified; please apply your changes to the latest version and try again";
  return conflict(resource, name, why);
}

export function forbidden(
  resource: ResourceName,
  name: string,
  why: string,
  causes?: StatusDetails["causes"],
): ApiError {
  const subject = name === "" ? qualified(resource) : `${qualified(resource)} "${name}"`;
  const details = { ...detailsOf(resource, name), ...(causes && { causes }) };
  return new ApiError(403, "Forbidden", `${subject} is forbidden: ${why}`, details);
}

/** The object breaks rules; each cause names a field. */
export function invalid(kind: { group: string; kind: string }, name: string, causes: readonly Cause[]): ApiError {
  const texts = [...new Set(causes.map(({ field, message }) => `${field}: ${message}`))];
  const what = texts.length === 1 ? texts[0] : `[${texts.join(", ")}]`;
  const subject = kind.group === "" ? kind.kind : `${kind.kind}.${kind.group}`;
  return new ApiError(422, "Invalid", `${subject} "${name}" is invalid: ${what}`, {
    ...(name !== "" && { name }),
    ...(kind.group !== "" && { group: kind.group }),
    ...(kind.kind !== "" && { kind: kind.kind }),
    causes,
  });
}

export function badRequest(message: string): ApiError {
  return new ApiError(400, "BadRequest", message);
}

export function unauthorized(): ApiError {
  return new ApiError(401, "Unauthorized", "Unauthorized");
}

export function unknownResource(): ApiError {
  return new ApiError(404, "NotFound", "the server could not find the requested resource", {});
}

export function methodNotAllowed(): ApiError {
  const message = "the server does not allow this method on the requested resource";
  return new ApiError(405, "MethodNotAllowed", message, {});
}

/** The revision asked for is no longer in the store. */
export function expired(message: string, metadata: JsonObject = {}): ApiError {
  return new ApiError(410, "Expired", message, undefined, metadata);
}

export function tooLargeResourceVersion(asked: bigint, current: bigint, isWaitedFor = true): ApiError {
  const causes = [{ reason: "ResourceVersionTooLarge", message: "Too large resource version" }];
  const message = `Timeout: Too large resource version: ${asked}, current: ${current}`;
  return new ApiError(504, "Timeout", message, { causes, ...(isWaitedFor && { retryAfterSeconds: 1 }) });
}

export function tookTooLong(): ApiError {
  const why = "request did not complete within requested timeout - context deadline exceeded";
  return new ApiError(504, "Timeout", `Timeout: ${why}`, {});
}

/** Go errors without a reason are sent as they are. */
export function plainError(message: string): ApiError {
  return new ApiError(500, "", message);
}

/** The method that custom resources do not have where they have others. */
export function notSupportedOn(verb: string, { group, plural }: ResourceName): ApiError {
  const message = `${verb} is not supported on resources of kind "${qualified({ group, plural })}"`;
  return new ApiError(405, "MethodNotAllowed", message, { group, kind: plural });
}

export function internalError(message: string): ApiError {
  return new ApiError(500, "InternalError", message);
}

function qualified({ group, plural }: ResourceName): string {
  return group === "" ? plural : `${plural}.${group}`;
}

function detailsOf({ group, plural }: ResourceName, name: string): StatusDetails {
  return { ...(name !== "" && { name }), ...(group !== "" && { group }), kind: plural };
}
