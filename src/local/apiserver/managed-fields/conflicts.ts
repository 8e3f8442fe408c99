import { ApiError } from "../api-error.ts";
import { type Managed, managerId } from "./managers.ts";
import { pathText } from "./path-element.ts";

/** A field that is applied with another value than its manager gave it. */
export interface Conflict {
  readonly managed: Managed;
  readonly path: readonly string[];
}

export function conflictError(conflicts: readonly Conflict[]): ApiError {
  const causes = conflicts.map(({ managed, path }) => ({
    reason: "FieldManagerConflict",
    message: `conflict with ${managerText(managed)}`,
    field: pathText(path),
  }));
  return new ApiError(409, "Conflict", conflictText(conflicts), { causes });
}

function conflictText(conflicts: readonly Conflict[]): string {
  const [first, ...more] = conflicts;
  if (first && more.length === 0) {
    return `Apply failed with 1 conflict: conflict with ${managerText(first.managed)}: ${pathText(first.path)}`;
  }
  const ids = [...new Set(conflicts.map(({ managed }) => managerId(managed)))].sort();
  const lines = ids.flatMap((id) => {
    const own = conflicts.filter(({ managed }) => managerId(managed) === id);
    const title = own[0] ? [`conflicts with ${managerText(own[0].managed)}:`] : [];
    return [...title, ...own.map(({ path }) => `- ${pathText(path)}`)];
  });
  return `Apply failed with ${conflicts.length} conflicts: ${lines.join("\n")}`;
}

function managerText({ manager, operation, apiVersion, subresource }: Managed): string {
  const through = subresource ? ` with subresource ${JSON.stringify(subresource)}` : "";
  const using = operation === "Update" ? ` using ${apiVersion}` : "";
  return `${JSON.stringify(manager)}${through}${using}`;
}
