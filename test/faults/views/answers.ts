import type { Answered, Ask } from "../world/in-process-carrier.ts";
import { cacheRequestOf, withQuery } from "./cache-request.ts";
import { expiredStatus } from "./watch-line.ts";

/** Answers every so many-th watch of an informer with 410 Gone: what happened since then is forgotten. */
export function expiredWatches(
  every: number,
  concerns: (plural: string) => boolean,
  onExpire: () => void,
): (ask: Ask) => Ask {
  let watches = 0;
  return (ask) => async (asked) => {
    const request = cacheRequestOf(asked);
    if (request?.verb !== "watch" || !concerns(request.plural)) return ask(asked);
    watches += 1;
    if (watches % every !== 0) return ask(asked);
    onExpire();
    return refusal(410, expiredStatus("too old resource version"));
  };
}

/** Gives lists in pages of one, and answers every so many-th further page with 410 Gone. */
export function expiredPages(
  every: number,
  concerns: (plural: string) => boolean,
  onExpire: () => void,
): (ask: Ask) => Ask {
  let pages = 0;
  return (ask) => async (asked) => {
    const request = cacheRequestOf(asked);
    // Without a limit the client asks for all of it in one piece, after its pages failed.
    if (request?.verb !== "list" || !concerns(request.plural) || !request.query.has("limit")) return ask(asked);
    if (request.query.has("continue")) pages += 1;
    if (request.query.has("continue") && pages % every === 0) {
      onExpire();
      return refusal(410, expiredStatus("The provided continue parameter is too old"));
    }
    request.query.set("limit", "1");
    return ask(withQuery(asked, request.query));
  };
}

/** Refuses lists and watches for a while, from the first one on: a server that is busy, or only just starts. */
export function refusedFor(forMs: number, code: 429 | 503, onRefuse: () => void): (ask: Ask) => Ask {
  let untilMs: number | undefined;
  return (ask) => async (asked) => {
    if (!cacheRequestOf(asked)) return ask(asked);
    untilMs ??= Date.now() + forMs;
    if (Date.now() >= untilMs) return ask(asked);
    onRefuse();
    const reason = code === 429 ? "TooManyRequests" : "ServiceUnavailable";
    const status = { kind: "Status", apiVersion: "v1", metadata: {}, status: "Failure", reason, code };
    return refusal(code, status, code === 429 ? { "retry-after": "1" } : {});
  };
}

function refusal(statusCode: number, status: object, headers: Record<string, string> = {}): Answered {
  const body = async function* () {
    yield Buffer.from(JSON.stringify(status));
  };
  return { statusCode, headers: { "content-type": "application/json", ...headers }, body: body() };
}
