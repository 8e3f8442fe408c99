import { FakeClock } from "@etcd-operator/testing/kubernetes/fake-clock.ts";
import { describe, expect, test } from "vitest";
import { watchProbes } from "./probe-watch.ts";
import { idleProgram } from "./program.ts";

const CONTAINER = {
  name: "etcd",
  startupProbe: { httpGet: { path: "/livez", port: 1 }, periodSeconds: 1, failureThreshold: 3600 },
  livenessProbe: { httpGet: { path: "/livez", port: 1 }, periodSeconds: 10, failureThreshold: 8 },
  readinessProbe: { httpGet: { path: "/readyz", port: 1 }, periodSeconds: 2, failureThreshold: 3 },
};

function watched() {
  const clock = new FakeClock();
  const answers: Record<string, boolean> = { "/livez": false, "/readyz": false };
  const news: string[] = [];
  let look = () => {};
  const program = {
    ...idleProgram(),
    answers: ({ httpGet }: { httpGet?: { path?: string } }) => answers[httpGet?.path ?? ""] ?? false,
    onChange: (listener: () => void) => {
      look = listener;
      return () => {};
    },
  };
  const leave = watchProbes(CONTAINER, program, clock, {
    onStarted: () => news.push("started"),
    onReady: (isReady) => news.push(isReady ? "ready" : "unready"),
    onAiling: () => news.push("ailing"),
  });
  const turn = (change: Record<string, boolean>) => {
    Object.assign(answers, change);
    look();
  };
  return { clock, news, turn, leave };
}

describe("a container that is probed", () => {
  test("is started, then ready, soon after it answers", async () => {
    const { clock, news, turn } = watched();
    await clock.advance(60_000);
    expect(news).toEqual([]);
    turn({ "/livez": true });
    await clock.advance(200);
    turn({ "/readyz": true });
    await clock.advance(200);
    expect(news).toEqual(["started", "ready"]);
  });

  test("is unready when its answers have been bad for three periods, and not for less", async () => {
    const { clock, news, turn } = watched();
    turn({ "/livez": true, "/readyz": true });
    await clock.advance(1_000);
    turn({ "/readyz": false });
    await clock.advance(5_000);
    turn({ "/readyz": true });
    await clock.advance(5_000);
    expect(news).toEqual(["started", "ready"]);
    turn({ "/readyz": false });
    await clock.advance(6_000);
    expect(news).toEqual(["started", "ready", "unready"]);
  });

  test("is to be started again when it has been silent for as long as the liveness probe allows", async () => {
    const { clock, news, turn } = watched();
    turn({ "/livez": true, "/readyz": true });
    await clock.advance(1_000);
    turn({ "/livez": false });
    await clock.advance(79_000);
    expect(news).not.toContain("ailing");
    await clock.advance(1_000);
    expect(news).toContain("ailing");
  });

  test("leaves no timer behind when it ends", async () => {
    const { clock, turn, leave } = watched();
    turn({ "/livez": true, "/readyz": true });
    leave();
    expect(clock.pendingMs).toEqual([]);
  });
});
