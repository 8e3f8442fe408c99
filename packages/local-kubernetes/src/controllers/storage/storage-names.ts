export const PROVISIONER = "local/host-path";
export const DEFAULT_CLASS = "standard";
export const NODE_BOUND_CLASS = "local";
/** The parameter of a class whose volumes never leave the node that they were made for. */
export const NODE_BOUND = "nodeBound";
export const IS_DEFAULT_CLASS = "storageclass.kubernetes.io/is-default-class";
export const PROVISIONED_BY = "pv.kubernetes.io/provisioned-by";
export const BIND_COMPLETED = "pv.kubernetes.io/bind-completed";
export const BOUND_BY_CONTROLLER = "pv.kubernetes.io/bound-by-controller";
export const CLAIM_PROTECTION = "kubernetes.io/pvc-protection";
export const VOLUME_PROTECTION = "kubernetes.io/pv-protection";
