import assert from "node:assert/strict";
import type { PodSecurityContext, SecurityContext } from "kubernetes-types/core/v1.d.ts";
import { describe, test } from "vitest";
import { KubeletError } from "../kubelet-error.ts";
import { identityOf, setprivWords } from "./identity.ts";

const rootImage = { uid: 0, gid: 0 };

function identity(securityContext: SecurityContext, common: PodSecurityContext = {}, image = rootImage) {
  const container = { name: "c", securityContext };
  return identityOf({ metadata: {}, spec: { containers: [container], securityContext: common } }, container, image);
}

describe("identityOf", () => {
  test("the container's user wins over the pod's, and the pod's over the image's", () => {
    assert.equal(identity({}, {}, { uid: 65532, gid: 65532 }).uid, 65532);
    assert.equal(identity({}, { runAsUser: 1000 }, { uid: 65532, gid: 65532 }).uid, 1000);
    assert.equal(identity({ runAsUser: 1001 }, { runAsUser: 1000 }).uid, 1001);
  });

  test("the image's group goes with the image's user only", () => {
    assert.equal(identity({}, {}, { uid: 65532, gid: 65532 }).gid, 65532);
    assert.equal(identity({ runAsUser: 1000 }, {}, { uid: 65532, gid: 65532 }).gid, 0);
    assert.equal(identity({ runAsUser: 1000, runAsGroup: 7 }).gid, 7);
  });

  test("fsGroup is one more group", () => {
    assert.deepEqual(identity({}, { fsGroup: 2000, supplementalGroups: [5] }).groups, [5, 2000]);
  });

  test.each<[string, SecurityContext, PodSecurityContext]>([
    ["image will run as root", { runAsNonRoot: true }, {}],
    ["image will run as root", {}, { runAsNonRoot: true }],
    ["runAsUser breaks non-root policy", { runAsUser: 0 }, { runAsNonRoot: true }],
  ])("root is refused where it must not be: %s", (message, own, common) => {
    assert.throws(
      () => identity(own, common),
      (error) => error instanceof KubeletError && error.code === "invalid-pod" && error.message.includes(message),
    );
  });

  test("dropping ALL leaves what is added", () => {
    assert.deepEqual(identity({ capabilities: { drop: ["ALL"], add: ["CAP_CHOWN"] } }).capabilities, ["chown"]);
    assert.ok(!identity({ capabilities: { drop: ["CHOWN"] } }).capabilities?.includes("chown"));
    assert.equal(identity({ privileged: true }).capabilities, undefined);
  });
});

test("setprivWords says all of it in setpriv's words", () => {
  const words = setprivWords(
    identity({ runAsUser: 1000, allowPrivilegeEscalation: false, capabilities: { drop: ["all"] } }, { fsGroup: 5 }),
  );
  assert.deepEqual(words, "--reuid 1000 --regid 0 --groups 5 --bounding-set=-all --no-new-privs".split(" "));
});
