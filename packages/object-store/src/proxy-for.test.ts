import { describe, expect, test } from "vitest";
import { proxyFor } from "./proxy-for.ts";

const HTTPS_PROXY = "http://proxy.example:3128";

describe("a host is reached", () => {
  test.each<[string, Record<string, string>, string | undefined]>([
    ["without a proxy when none is named", {}, undefined],
    ["through the proxy", { HTTPS_PROXY }, "http://proxy.example:3128/"],
    ["through that of the variable in small letters", { https_proxy: HTTPS_PROXY }, "http://proxy.example:3128/"],
    ["through a proxy that is named without a scheme", { HTTPS_PROXY: "proxy:80" }, "http://proxy/"],
    ["without one that is no URL", { HTTPS_PROXY: "http://[" }, undefined],
    ["without when NO_PROXY names it", { HTTPS_PROXY, NO_PROXY: "a.example, s3.example.com" }, undefined],
    ["without when NO_PROXY names its domain", { HTTPS_PROXY, NO_PROXY: "example.com" }, undefined],
    ["without when NO_PROXY names its domain with a dot", { HTTPS_PROXY, no_proxy: ".example.com" }, undefined],
    ["without when NO_PROXY names its domain with a star", { HTTPS_PROXY, NO_PROXY: "*.EXAMPLE.com" }, undefined],
    ["without when NO_PROXY is a star", { HTTPS_PROXY, NO_PROXY: "*" }, undefined],
    ["without when NO_PROXY names its port, too", { HTTPS_PROXY, NO_PROXY: "example.com:443" }, undefined],
    ["through it when NO_PROXY names another port", { HTTPS_PROXY, NO_PROXY: "example.com:9000" }, `${HTTPS_PROXY}/`],
    [
      "through it when NO_PROXY names what looks alike",
      { HTTPS_PROXY, NO_PROXY: "ample.com,com.x" },
      `${HTTPS_PROXY}/`,
    ],
    ["through it when NO_PROXY is empty", { HTTPS_PROXY, NO_PROXY: " , " }, `${HTTPS_PROXY}/`],
  ])("%s", (_, env, proxy) => {
    expect(proxyFor("s3.example.com", 443, env)?.href).toBe(proxy);
  });

  test.each([
    ["10.1.2.3", "10.0.0.0/8"],
    ["10.1.2.3", "10.1.2.3"],
    ["[fd00::1]", "fd00::/8"],
    ["fd00::1", "fd00::1"],
    ["localhost", ""],
    ["127.0.0.2", ""],
    ["[::1]", ""],
  ])("without a proxy by address: %s with NO_PROXY '%s'", (host, NO_PROXY) => {
    expect(proxyFor(host, 443, { HTTPS_PROXY, NO_PROXY })).toBeUndefined();
  });

  test.each([
    ["11.1.2.3", "10.0.0.0/8"],
    ["10.example.com", "10.0.0.0/8"],
    ["10.1.2.3", "10.0.0.0/99"],
    ["10.1.2.3", "fd00::/8"],
  ])("through it by address: %s with NO_PROXY '%s'", (host, NO_PROXY) => {
    expect(proxyFor(host, 443, { HTTPS_PROXY, NO_PROXY })?.host).toBe("proxy.example:3128");
  });
});
