import assert from "node:assert/strict";
import { aNetwork, isRoot, type NetworkUnderTest } from "@etcd-operator/testing/local/network.ts";
import { afterEach, beforeEach, describe, test } from "vitest";
import { ensureBridge, linksOf, removeBridge } from "./bridge.ts";
import { askLinks } from "./ip-command.ts";

describe.skipIf(!isRoot)("the bridge (needs root)", () => {
  let network: NetworkUnderTest;
  beforeEach(async () => {
    network = await aNetwork();
  });
  afterEach(() => network.close());

  test("is made once, and pods on it notice nothing when it is asked for again", async () => {
    const { config } = network;
    const pod = await network.addPod();
    const before = await addressOf(config.bridge);
    await ensureBridge(config);
    assert.deepEqual(await addressOf(config.bridge), before);
    await pod.run("node", "-e", refused(`${config.serviceCidr.split("/")[0]?.replace(/0$/, "77")}`));
  });

  test("keeps its hardware address when pods come and go", async () => {
    const before = (await addressOf(network.config.bridge))?.address;
    for (let round = 0; round < 5; round += 1) await network.addPod();
    assert.equal((await addressOf(network.config.bridge))?.address, before);
  });

  test("goes with every link of the instance, and again without complaint", async () => {
    await network.addPod();
    await network.addPod();
    assert.equal((await linksOf(network.config.instance)).length, 3);
    await removeBridge(network.config);
    await removeBridge(network.config);
    assert.deepEqual(await linksOf(network.config.instance), []);
  });
});

test("someone without the right to make a bridge is told what it takes", async () => {
  const config = { instance: "000000", bridge: "no/name", bridgeIp: "10.255.0.1", serviceCidr: "10.255.128.0/17" };
  await assert.rejects(ensureBridge(config), (error: Error & { code?: string }) => {
    return isRoot ? error.code === "command-failed" : error.code === "not-permitted" && error.message.includes("sudo");
  });
});

async function addressOf(bridge: string): Promise<{ address: string } | undefined> {
  const [link] = await askLinks<{ address: string }>(["address", "show", "dev", bridge], { operation: "look" });
  return link;
}

/** Exits with 0 when a connection to a Service address without a backend is refused. */
function refused(ip: string): string {
  return `require("net").connect(1234, "${ip}").on("error", (e) => process.exit(e.code === "ECONNREFUSED" ? 0 : 1))`;
}
