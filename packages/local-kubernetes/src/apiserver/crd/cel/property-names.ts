/** How CEL names a property; undefined for names that no expression can reach. */
export function celName(property: string): string | undefined {
  if (RESERVED.has(property)) return `__${property}__`;
  if (!/^[A-Za-z_./-][A-Za-z0-9_./-]*$/.test(property)) return undefined;
  return property.replace(/__|[./-]/g, (part) => ESCAPES[part] ?? part);
}

const ESCAPES: Readonly<Record<string, string>> = {
  __: "__underscores__",
  ".": "__dot__",
  "-": "__dash__",
  "/": "__slash__",
};

const RESERVED: ReadonlySet<string> = new Set(
  "true false null in as break const continue else for function if import let loop package namespace return".split(" "),
);
