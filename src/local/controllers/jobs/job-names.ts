/** Keeps a pod until its end has been counted. */
export const TRACKING_FINALIZER = "batch.kubernetes.io/job-tracking";
export const COMPLETION_INDEX = "batch.kubernetes.io/job-completion-index";
/** Who manages a Job that names nobody. */
export const US = "kubernetes.io/job-controller";
