import { describe, expect, test } from "vitest";
import type { AptSource } from "./apt-sources.ts";
import { debianArchives, privateSources } from "./private-sources.ts";

const debian = anEntry({});
const thirdParty = anEntry({ uris: ["https://tools.test"], signedBy: "/keys/tools.gpg" });

describe("debianArchives", () => {
  test.each<[string, AptSource]>([
    ["the main archive", debian],
    ["the main archive with a slash at its end", anEntry({ uris: ["http://mirror.test/debian/"] })],
    ["a stanza that also names the updates suite", anEntry({ suites: ["trixie", "trixie-updates"] })],
    ["an archive followed by its alias", anEntry({ suites: ["stable"] })],
    ["a list of mirrors", anEntry({ uris: ["mirror+file:/etc/apt/mirrors/debian.list"] })],
    ["a mirror at any path with Debian's keyring", anEntry({ uris: ["https://cache.test/remote/deb"] })],
  ])("takes %s", (_, source) => {
    expect(debianArchives([source, thirdParty])).toEqual([source]);
  });

  test.each<[string, AptSource]>([
    ["the security archive", anEntry({ uris: ["http://mirror.test/debian-security"], suites: ["bookworm-security"] })],
    ["the security archive of old releases", anEntry({ suites: ["buster/updates"] })],
    ["updates alone", anEntry({ suites: ["bookworm-updates"] })],
    ["sources without binaries", anEntry({ types: ["deb-src"] })],
    ["a component that is not main", anEntry({ components: ["stable"] })],
    ["another distribution", anEntry({ suites: ["jammy"] })],
    ["an installation medium", anEntry({ uris: ["cdrom:[Debian 12]/"] })],
  ])("passes over %s", (_, source) => {
    expect(debianArchives([source])).toEqual([]);
  });

  test("takes a mirror that nothing marks as Debian's only when nothing else is evident", () => {
    expect(debianArchives([thirdParty])).toEqual([thirdParty]);
    expect(debianArchives([thirdParty, debian])).toEqual([debian]);
  });
});

describe("privateSources", () => {
  test("offers the asked suite of each archive, with its keyring", () => {
    const unsigned = { types: ["deb"], uris: ["http://other.test/debian"], suites: ["sid"], components: ["main"] };
    expect(privateSources([debian, unsigned], "bullseye", "arm64")).toBe(`Types: deb
URIs: http://mirror.test/debian
Suites: bullseye
Components: main
Architectures: arm64
Targets: Packages
Signed-By: /usr/share/keyrings/debian-archive-keyring.gpg

Types: deb
URIs: http://other.test/debian
Suites: bullseye
Components: main
Architectures: arm64
Targets: Packages
`);
  });
});

function anEntry(entry: Partial<AptSource>): AptSource {
  return {
    types: ["deb"],
    uris: ["http://mirror.test/debian"],
    suites: ["bookworm"],
    components: ["main"],
    signedBy: "/usr/share/keyrings/debian-archive-keyring.gpg",
    ...entry,
  };
}
