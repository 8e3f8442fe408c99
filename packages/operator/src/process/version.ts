// Spelled out, because the bundler replaces exactly this expression.
/** The version of this build. */
export const VERSION = process.env.ETCD_OPERATOR_VERSION ?? "development";
