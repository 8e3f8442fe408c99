// Google hosts buckets of anybody under the same names: a host alone says nothing about who reads what is sent there.
// So these are whole addresses, compared as they are written, without ports, users, queries or other spellings.
const REGION = "[a-z]+-[a-z]+[0-9]{1,2}";
const EMAIL = "[A-Za-z0-9][A-Za-z0-9._-]*(?:@|%40)[A-Za-z0-9.-]+";

const addresses = {
  /** Where a statement signed with the key of a service account becomes a token. */
  token: [
    "oauth2\\.googleapis\\.com/token",
    "www\\.googleapis\\.com/oauth2/v[34]/token",
    "accounts\\.google\\.com/o/oauth2/token",
  ],
  /** Where the proof of another provider becomes one. */
  exchange: ["sts\\.googleapis\\.com/v1/token", `sts\\.${REGION}\\.rep\\.googleapis\\.com/v1/token`],
  /** Where that becomes one of a service account. */
  impersonation: [
    `iamcredentials(?:\\.${REGION}\\.rep)?\\.googleapis\\.com/v1/projects/-/serviceAccounts/${EMAIL}:generateAccessToken`,
  ],
} as const;

export type GoogleService = keyof typeof addresses;

/** Whether this is an address of that service of Google's, and of nothing else. */
export function isGoogleAddress(url: string, service: GoogleService): boolean {
  return addresses[service].some((pattern) => new RegExp(`^https://${pattern}$`).test(url));
}
