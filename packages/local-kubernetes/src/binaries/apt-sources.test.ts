import { describe, expect, test } from "vitest";
import { parseDeb822Sources, parseOneLineSources } from "./apt-sources.ts";

describe("parseOneLineSources", () => {
  test("reads an entry with options and a trailing comment", () => {
    const text = "deb [arch=amd64 signed-by=/keys/a.gpg] http://mirror.test/debian bookworm main contrib # ours\n";
    expect(parseOneLineSources(text)).toEqual([
      {
        types: ["deb"],
        uris: ["http://mirror.test/debian"],
        suites: ["bookworm"],
        components: ["main", "contrib"],
        signedBy: "/keys/a.gpg",
      },
    ]);
  });

  test("reads an entry without options", () => {
    expect(parseOneLineSources("deb-src http://mirror.test/debian sid main")).toEqual([
      { types: ["deb-src"], uris: ["http://mirror.test/debian"], suites: ["sid"], components: ["main"] },
    ]);
  });

  test("passes over comments, empty lines and what is no entry", () => {
    expect(parseOneLineSources("# deb http://mirror.test/debian sid main\n\ndeb\nnonsense a b c\n")).toEqual([]);
  });
});

describe("parseDeb822Sources", () => {
  test("reads stanzas with comments inside, folded values and any case of field names", () => {
    const text = `Types: deb deb-src
# a comment between two fields
uris: http://mirror.test/debian
Suites: bookworm
 bookworm-updates
Components: main
Signed-By: /keys/debian.gpg

Types: deb
URIs: http://mirror.test/debian-security
Suites: bookworm-security
Components: main
`;
    expect(parseDeb822Sources(text)).toEqual([
      {
        types: ["deb", "deb-src"],
        uris: ["http://mirror.test/debian"],
        suites: ["bookworm", "bookworm-updates"],
        components: ["main"],
        signedBy: "/keys/debian.gpg",
      },
      {
        types: ["deb"],
        uris: ["http://mirror.test/debian-security"],
        suites: ["bookworm-security"],
        components: ["main"],
      },
    ]);
  });

  test("keeps the line breaks of a key written into the file", () => {
    const key = "\n -----BEGIN PGP PUBLIC KEY BLOCK-----\n .\n mDMEY8\n -----END PGP PUBLIC KEY BLOCK-----";
    const text = `Types: deb\nURIs: http://mirror.test/debian\nSuites: sid\nComponents: main\nSigned-By:${key}\n`;
    expect(parseDeb822Sources(text)[0]?.signedBy).toBe(key);
  });

  test.each(["no", "false", "0"])("passes over a stanza with Enabled: %s", (enabled) => {
    const text = `Enabled: ${enabled}\nTypes: deb\nURIs: http://mirror.test/debian\nSuites: sid\nComponents: main\n`;
    expect(parseDeb822Sources(text)).toEqual([]);
  });
});
