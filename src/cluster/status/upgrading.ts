import type { Verdict } from "./condition.ts";
import type { Standing } from "./standing.ts";

/** Whether members run another version than the user asks for. */
export function upgrading({ now }: Standing, versions: { readonly current: string; readonly target: string }): Verdict {
  const { current, target } = versions;
  if (target === "") {
    return {
      isTrue: false,
      reason: "AsWanted",
      message: current ? `Current version: ${current}` : "No version runs yet",
    };
  }
  const message = `Current version: ${current}, desired version: ${target}; members that run keep theirs`;
  return {
    isTrue: true,
    reason: "VersionsDiffer",
    message: now.spec.paused ? `${message}; spec.paused holds it` : message,
  };
}
