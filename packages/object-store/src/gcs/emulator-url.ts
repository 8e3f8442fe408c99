import type { Environment } from "./token-source.ts";

/**
 * Where everything goes that is meant for Google, when it is not to go there: an emulator, named as for Google's own
 * libraries.
 */
export function emulatorUrl({ STORAGE_EMULATOR_HOST: host }: Environment): string | undefined {
  if (!host) return undefined;
  return /^https?:\/\//.test(host) ? host : `http://${host}`;
}
