import { rfc3339 } from "@etcd-operator/kubernetes-client";
import type { Rule } from "../situation.ts";

/** Nothing is due yet. */
export const waitForNextRun: Rule = ({ due, seen }) => {
  if (!due) return undefined;
  const isRetry = due.why === "retry";
  const message = `${isRetry ? "The backup will be retried" : "The next backup is due"} at ${rfc3339(due.atMs)}`;
  const recheckAfterMs = Math.max(0, due.atMs - seen.nowMs);
  return { kind: "hold", recheckAfterMs, reason: isRetry ? "Retrying" : "Scheduled", message };
};
