/** The keys of a transfer Secret; a worker finds files of these names. */
export const TRANSFER_FILES = { cert: "tls.crt", key: "tls.key", token: "token" } as const;
