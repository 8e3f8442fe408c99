import type { CrdVersion, PrinterColumn } from "./custom-resource-definition.ts";
import { humanDuration } from "./human-duration.ts";
import { valuesAt } from "./json-path.ts";

/** An entry of a Table's `columnDefinitions`. */
export interface TableColumn {
  readonly name: string;
  readonly type: string;
  readonly format: string;
  readonly description: string;
  readonly priority: number;
}

const NAME: TableColumn = {
  name: "Name",
  type: "string",
  format: "name",
  description: "Name of the object, unique among the objects of its kind in a namespace; it cannot be changed.",
  priority: 0,
};

const AGE: PrinterColumn = {
  name: "Age",
  type: "date",
  jsonPath: ".metadata.creationTimestamp",
  description: "When the object was created.",
};

/** The columns of a version beside the name; its age where it asks for none. */
export function printerColumns({ additionalPrinterColumns: columns }: CrdVersion): readonly PrinterColumn[] {
  return columns && columns.length > 0 ? columns : [AGE];
}

/** The column definitions of a version's tables, the name first. */
export function tableColumns(version: CrdVersion): readonly TableColumn[] {
  return [NAME, ...printerColumns(version).map(definitionOf)];
}

/** What a column shows of an object; null where there is nothing to show. */
export function cellFor({ type, jsonPath }: PrinterColumn, object: unknown, now: Date): unknown {
  const value = valuesAt(jsonPath, object)?.[0];
  if (value === undefined || value === null) return null;
  switch (type) {
    case "integer":
      return typeof value === "number" ? Math.trunc(value) : null;
    case "number":
      return typeof value === "number" ? value : null;
    case "boolean":
      return typeof value === "boolean" ? value : null;
    case "date":
      return typeof value === "string" ? age(value, now) : null;
    default:
      return typeof value === "object" ? JSON.stringify(value) : String(value);
  }
}

function definitionOf({ name, type, format = "", description, priority = 0, jsonPath }: PrinterColumn): TableColumn {
  const said = description || `Custom resource definition column (in JSONPath format): ${jsonPath}`;
  return { name, type, format, description: said, priority };
}

function age(text: string, now: Date): string {
  const at = Date.parse(text);
  return Number.isNaN(at) ? "<invalid>" : humanDuration(now.getTime() - at);
}
