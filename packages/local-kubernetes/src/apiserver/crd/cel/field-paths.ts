import { child, entry } from "../field-path.ts";
import { propertyOf, type Schema, valuesOf } from "../schema.ts";

/** The `fieldPath` of a rule as causes name it; undefined where the schema has no such field. */
export function fieldPath(schema: Schema, path: string): string | undefined {
  let at: Schema | undefined = schema;
  let named = "";
  let rest = path;
  while (rest !== "" && at) {
    const [all, plain, quoted] = /^(?:\.([^.[\]]+)|\['((?:\\.|[^'\\])*)'\])/.exec(rest) ?? [];
    const name: string | undefined = plain ?? quoted?.replace(/\\(.)/g, "$1");
    if (all === undefined || name === undefined) return undefined;
    const property = propertyOf(at, name);
    named = at.properties ? child(named, name) : entry(named, name);
    at = property ?? (at.properties ? undefined : valuesOf(at));
    rest = rest.slice(all.length);
  }
  return at && named;
}
