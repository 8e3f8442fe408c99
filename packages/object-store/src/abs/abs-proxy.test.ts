import { storeErrorOf } from "@etcd-operator/testing/objectstore/contract/content.ts";
import { startRecordingProxy } from "@etcd-operator/testing/objectstore/recording-proxy.ts";
import { afterEach, expect, test, vi } from "vitest";
import { absStore } from "./abs-store.ts";

afterEach(() => vi.unstubAllEnvs());

test("a container of Azure is reached by way of the proxy of the environment", async () => {
  const proxy = await startRecordingProxy();
  vi.stubEnv("HTTPS_PROXY", proxy.url);
  const accountKey = Buffer.from("canary").toString("base64");
  const store = absStore({ kind: "abs", container: "backups", account: "mine", accountKey }, { attempts: 1 });
  expect((await storeErrorOf(store.stat("key"))).code).toBe("unavailable");
  expect(proxy.asked).toEqual(["CONNECT mine.blob.core.windows.net:443"]);
  await proxy.close();
});
