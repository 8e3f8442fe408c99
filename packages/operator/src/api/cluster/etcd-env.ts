import type { EnvVar, EnvVarSource } from "kubernetes-types/core/v1.d.ts";
import * as z from "zod";
import { passThrough } from "../schema/primitives.ts";
import { refusing, withRules } from "../schema/rule.ts";

/**
 * The identity of a member: its name, its URLs, its TLS. The operator derives these from
 * the spec; etcd exits, or worse, joins something else, when they come from two places.
 */
const OWNED = [
  "NAME|DATA_DIR|WAL_DIR|CONFIG_FILE|FORCE_NEW_CLUSTER",
  "INITIAL_(CLUSTER|CLUSTER_STATE|CLUSTER_TOKEN|ADVERTISE_PEER_URLS)",
  "LISTEN_(PEER|CLIENT|CLIENT_HTTP|METRICS)_URLS|ADVERTISE_CLIENT_URLS",
  "(PEER_)?(CERT_FILE|KEY_FILE|CA_FILE|TRUSTED_CA_FILE|CLIENT_CERT_AUTH|AUTO_TLS|CRL_FILE|CLIENT_CERT_FILE|CLIENT_KEY_FILE)",
  "(EXPERIMENTAL_)?PEER_SKIP_CLIENT_SAN_VERIFICATION",
  "CLIENT_(CRL_FILE|CERT_ALLOWED_HOSTNAME)|PEER_CERT_ALLOWED_(CN|HOSTNAME)",
  "DISCOVERY(_.*)?|PROXY(_.*)?",
].join("|");

const leavesIdentityAlone = refusing(
  `^ETCD_(${OWNED})$`,
  "'{}' sets identity, a URL or TLS, which the operator owns: remove it; for TLS use spec.TLS",
);

const keepsSafetyOn = refusing(
  "^ETCD_(UNSAFE_NO_FSYNC|STRICT_RECONFIG_CHECK)$",
  "'{}' disables a safeguard for acknowledged writes or quorum: remove it",
);

const variable = passThrough<EnvVar>({
  name: withRules(z.string().min(1).max(128), [leavesIdentityAlone, keepsSafetyOn]),
  value: z.string().optional(),
  valueFrom: passThrough<EnvVarSource>().optional(),
});

export const etcdEnv = z.array(variable).max(128);
