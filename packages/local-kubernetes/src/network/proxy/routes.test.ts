import assert from "node:assert/strict";
import { anEndpoint, aService, aSlice } from "@etcd-operator/testing/local/services.ts";
import { describe, test } from "vitest";
import { serviceEntry } from "../service-entry.ts";
import { routesOf } from "./routes.ts";

function routes(...given: Parameters<typeof serviceEntry>) {
  const entry = serviceEntry(...given);
  assert.ok(entry);
  return Object.fromEntries(routesOf(entry));
}

describe("the routes of a Service", () => {
  test("lead to the port of the same name, which may differ from pod to pod", () => {
    const slices = [
      aSlice("web", [anEndpoint("10.240.0.2")], { ports: [{ name: "client", port: 8080 }] }),
      aSlice("web", [anEndpoint("10.240.0.3")], {
        ports: [
          { name: "client", port: 9090 },
          { name: "other", port: 1 },
        ],
      }),
    ];
    const expected = [
      { ip: "10.240.0.2", port: 8080 },
      { ip: "10.240.0.3", port: 9090 },
    ];
    assert.deepEqual(routes(aService("web"), slices), { "10.240.128.5:2379": expected });
  });

  test("lead nowhere while nothing is ready, and to what is going when nothing else is left", () => {
    assert.deepEqual(routes(aService("web"), []), { "10.240.128.5:2379": [] });
    const going = anEndpoint("10.240.0.3", { conditions: { ready: false, serving: true, terminating: true } });
    const { "10.240.128.5:2379": backends } = routes(aService("web"), [aSlice("web", [going])]);
    assert.deepEqual(backends, [{ ip: "10.240.0.3", port: 2379 }]);
  });

  test("are none for a headless Service, nor for UDP", () => {
    assert.deepEqual(routes(aService("web", { clusterIP: "None" }), []), {});
    assert.deepEqual(routes(aService("web", { ports: [{ port: 53, protocol: "UDP" }] }), []), {});
  });
});
