/** The API group of the archived coreos operator, so that existing YAML keeps working. */
export const GROUP = "etcd.database.coreos.com";
export const VERSION = "v1beta2";
export const API_VERSION = `${GROUP}/${VERSION}`;
