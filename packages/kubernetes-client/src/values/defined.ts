/** The fields that have a value: the API's optional fields may be undefined, those of Kubernetes may only be absent. */
export function defined<T extends object>(fields: { readonly [K in keyof T]: T[K] | undefined }): T {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as T;
}
