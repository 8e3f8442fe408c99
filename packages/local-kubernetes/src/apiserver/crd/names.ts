const DNS1035 = "[a-z]([-a-z0-9]*[a-z0-9])?";
const DNS1123_SUBDOMAIN = "[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*";

/** Why a text is no label that a Service could bear. */
export function dns1035LabelErrors(text: string): string[] {
  return [
    ...(text.length > 63 ? ["must be no more than 63 characters"] : []),
    ...(new RegExp(`^${DNS1035}$`).test(text)
      ? []
      : [
          "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic " +
            "character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for " +
            `validation is '${DNS1035}')`,
        ]),
  ];
}

/** Why a text is no domain name. */
export function dns1123SubdomainErrors(text: string): string[] {
  return [
    ...(text.length > 253 ? ["must be no more than 253 characters"] : []),
    ...(new RegExp(`^${DNS1123_SUBDOMAIN}$`).test(text)
      ? []
      : [
          "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must " +
            "start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is " +
            `'${DNS1123_SUBDOMAIN}')`,
        ]),
  ];
}
