import { ObjectStoreError } from "../object-store-error.ts";

/** "minio:9000" is read as "https://minio:9000", as coreos/etcd-operator did. */
export function endpointUrl(endpoint: string): URL {
  const address = /^[a-z][a-z0-9+.-]*:\/\//i.test(endpoint) ? endpoint : `https://${endpoint}`;
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url && /^https?:$/.test(url.protocol)) return url;
  const message = "it is no URL of a server: write it as 'https://host:port'";
  throw new ObjectStoreError("invalid", { operation: `read the endpoint '${endpoint}'`, message });
}
