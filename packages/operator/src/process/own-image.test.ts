import assert from "node:assert/strict";
import { createLogger } from "@etcd-operator/controller-runtime";
import type { KubeClient } from "@etcd-operator/kubernetes-client";
import { KubernetesError, type KubernetesErrorCode, systemClock } from "@etcd-operator/kubernetes-client";
import { describe, test } from "vitest";
import { imageIn, type OwnImageOptions, ownImage, PUBLISHED_IMAGE } from "./own-image.ts";

const IN_A_POD = { MY_POD_NAMESPACE: "tools", MY_POD_NAME: "etcd-operator-1" };

/** Asks an API server that gives these answers, one after another, to the question for the pod. */
async function imageOf(
  answers: readonly (string | KubernetesErrorCode)[],
  given: Partial<OwnImageOptions> = {},
): Promise<{ image: string; asked: object[]; said: string }> {
  const [asked, said]: [object[], string[]] = [[], []];
  const get = async (_: unknown, id: object) => {
    asked.push(id);
    const answer = answers[Math.min(asked.length, answers.length) - 1] ?? "";
    if (!answer.includes(":"))
      throw new KubernetesError(answer as KubernetesErrorCode, { operation: "read the pod", message: answer });
    return { metadata: {}, spec: { containers: [{ name: "etcd-operator", image: answer }] } };
  };
  const logger = createLogger({ level: "info", write: (line) => said.push(line) });
  const client = { get } as unknown as KubeClient;
  const base = {
    program: "etcd-operator",
    told: undefined,
    client,
    logger,
    clock: systemClock,
    random: () => 0,
  } as const;
  const image = await ownImage({ ...base, env: IN_A_POD, ...given }, new AbortController().signal);
  return { image, asked, said: said.join("") };
}

describe("the image for the pods that the operator makes", () => {
  test("is that of its own pod, whatever set it there", async () => {
    const { image, asked } = await imageOf(["mirror.example.com/operator:mine"]);
    assert.equal(image, "mirror.example.com/operator:mine");
    assert.deepEqual(asked, [{ namespace: "tools", name: "etcd-operator-1" }]);
  });

  test("is the configured one, without a request", async () => {
    assert.deepEqual(await imageOf(["a:b"], { told: "told:v1" }), { image: "told:v1", asked: [], said: "" });
  });

  test("is the published one outside of pods", async () => {
    assert.equal((await imageOf(["a:b"], { env: {} })).image, PUBLISHED_IMAGE);
  });

  test("waits for an API server that is away", async () => {
    const { image, asked } = await imageOf(["timeout", "unavailable", "own:v3"]);
    assert.deepEqual([image, asked.length], ["own:v3", 3]);
  });

  test.each(["forbidden", "not-found"] as const)(
    "is the published one where reading the pod is %s, and says so",
    async (code) => {
      const { image, said } = await imageOf([code]);
      assert.equal(image, PUBLISHED_IMAGE);
      assert.match(
        said,
        /could not read the image of the operator's pod etcd-operator-1: .* ETCD_OPERATOR_IMAGE or --guard-image/,
      );
    },
  );
});

describe("the container that an operator runs in", () => {
  const [sidecar, ours] = [
    { name: "proxy", image: "proxy:v1" },
    { name: "any", image: "ours:v1", command: ["/usr/local/bin/etcd-backup-operator", "--cluster-wide"] },
  ];
  const inPod = (...containers: object[]) => imageIn({ spec: { containers } as never }, "etcd-backup-operator");

  test("is known by what it starts, beside a sidecar", () => assert.equal(inPod(sidecar, ours), "ours:v1"));
  test("is known by its name where it starts what the image says", () => {
    assert.equal(inPod(sidecar, { name: "etcd-backup-operator", image: "ours:v2" }), "ours:v2");
  });
  test("is the only one there is", () => assert.equal(inPod({ name: "x", image: "ours:v3" }), "ours:v3"));
  test("is not guessed", () => assert.equal(inPod(sidecar, { name: "x", image: "y" }), undefined));
});
