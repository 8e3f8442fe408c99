import type { LogSelection } from "../logs/log-line.ts";

export interface LogQuery extends LogSelection {
  readonly isFollowing: boolean;
  readonly isPrevious: boolean;
}

/** What a request for a container's log asks for, in the words of the API. */
export function logQuery(query: URLSearchParams, now: number): LogQuery {
  const number = (name: string) => (query.has(name) ? Number(query.get(name)) : undefined);
  const [tailLines, limitBytes, sinceSeconds] = [number("tailLines"), number("limitBytes"), number("sinceSeconds")];
  const sinceTime = query.get("sinceTime");
  const since =
    sinceSeconds === undefined ? (sinceTime ? Date.parse(sinceTime) : undefined) : now - sinceSeconds * 1000;
  return {
    isFollowing: isSet(query, "follow"),
    isPrevious: isSet(query, "previous"),
    timestamps: isSet(query, "timestamps"),
    ...(tailLines !== undefined && { tailLines }),
    ...(limitBytes !== undefined && { limitBytes }),
    ...(since !== undefined && { since }),
  };
}

/** Whether a switch is on, however it is written. */
export function isSet(query: URLSearchParams, name: string): boolean {
  return ["1", "true"].includes(query.get(name) ?? "");
}
