/** The API group of the archived coreos operator, so that existing YAML keeps working. */
export const GROUP = "etcd.database.coreos.com";
export const VERSION = "v1beta2";
export const API_VERSION = `${GROUP}/${VERSION}`;
/** Says whether an operator of its namespace or a cluster-wide one manages an object. */
export const SCOPE_ANNOTATION = `${GROUP}/scope`;
