/** A status as the API server returns it: counts of zero, empty lists and what is undefined are left out. */
export function nonZero<T extends object>(status: { readonly [Field in keyof T]: T[Field] | undefined }): T {
  const isThere = (value: unknown) =>
    value !== undefined && value !== 0 && value !== "" && !(Array.isArray(value) && value.length === 0);
  return Object.fromEntries(Object.entries(status).filter(([, value]) => isThere(value))) as T;
}
