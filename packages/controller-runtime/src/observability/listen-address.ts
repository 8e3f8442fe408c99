import { ListenError } from "./listen-error.ts";

export interface ListenAddress {
  /** Every address of the machine when absent, IPv6 and IPv4. */
  readonly host: string | undefined;
  readonly port: number;
}

/**
 * Reads "host:port" as Go's net.Listen does: "0.0.0.0:8080", ":8080", "localhost:8080", "[::1]:8080". Also as there,
 * "0.0.0.0" is every address: a pod may have none of IPv4.
 */
export function parseListenAddress(address: string): ListenAddress {
  const match = /^(?:\[(?<v6>[^\]]*)\]|(?<host>[^:[\]]*)):(?<port>\d+)$/.exec(address);
  const { v6, host, port: digits } = match?.groups ?? {};
  const port = Number(digits);
  if (!match || port > 65_535) throw invalid(address);
  const given = v6 || host || undefined;
  return { host: given === "0.0.0.0" || given === "::" ? undefined : given, port };
}

function invalid(address: string): ListenError {
  const colons = address.split(":").length - 1;
  const hint =
    colons > 1 && !address.includes("[") ? "put an IPv6 address into brackets, as in '[::1]:8080'" : undefined;
  return new ListenError("address-invalid", {
    operation: `read the listen address '${address}'`,
    message: hint ?? "write it as 'host:port', as in '0.0.0.0:8080' or ':8080'",
  });
}
