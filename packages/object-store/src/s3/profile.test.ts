import { storeErrorOf } from "@etcd-operator/testing/objectstore/contract/content.ts";
import { describe, expect, test } from "vitest";
import { readProfile } from "./profile.ts";

const KEYS = "aws_access_key_id = AKIA1\naws_secret_access_key = abc/def+ghi=\n";

describe("readProfile", () => {
  test("reads keys and region of the profile 'default'", () => {
    const profile = readProfile({
      credentials: `[other]\naws_access_key_id = no\naws_secret_access_key = no\n\n[default]\n${KEYS}`,
      config: "[profile other]\nregion = no\n[default]\nregion = eu-central-1\noutput = json\n",
    });
    expect(profile).toEqual({
      region: "eu-central-1",
      keys: { accessKeyId: "AKIA1", secretAccessKey: "abc/def+ghi=" },
      role: undefined,
    });
  });

  test("is not put off by comments, blank lines, indented settings, Windows line ends or missing spaces", () => {
    const credentials = `# ours\r\n; too\r\n\r\n[ default ]\r\naws_access_key_id=AKIA1\r\nAWS_SECRET_ACCESS_KEY =s#cret ; theirs\r\n`;
    const config = "[default]\ns3 =\n  region = nested\n  addressing_style = path\nregion=us-west-2 # ours\n";
    expect(readProfile({ credentials, config })).toMatchObject({
      region: "us-west-2",
      keys: { accessKeyId: "AKIA1", secretAccessKey: "s#cret" },
    });
  });

  test("takes the token of a session along", () => {
    const { keys } = readProfile({ credentials: `[default]\n${KEYS}aws_session_token = t0ken==\n` });
    expect(keys?.sessionToken).toBe("t0ken==");
  });

  test("without a Secret has nothing: the pod's own role counts", () => {
    expect(readProfile({})).toEqual({ region: undefined, keys: undefined, role: undefined });
  });

  test("with a config only has a region, and the pod's own role counts", () => {
    expect(readProfile({ config: "[default]\nregion = eu-west-1\n" })).toEqual({
      region: "eu-west-1",
      keys: undefined,
      role: undefined,
    });
  });

  test("takes on a role with the keys of the profile that it names", () => {
    const config = "[default]\nrole_arn = arn:aws:iam::1:role/backup\nsource_profile = base\nexternal_id = x1\n";
    expect(readProfile({ credentials: `[base]\n${KEYS}`, config })).toEqual({
      region: undefined,
      keys: { accessKeyId: "AKIA1", secretAccessKey: "abc/def+ghi=" },
      role: { arn: "arn:aws:iam::1:role/backup", sessionName: "etcd-operator", externalId: "x1" },
    });
  });

  test("takes on a role with the pod's own one when there are no keys", () => {
    const { keys, role } = readProfile({ config: "[default]\nrole_arn = arn:aws:iam::1:role/backup\n" });
    expect(keys).toBeUndefined();
    expect(role?.arn).toBe("arn:aws:iam::1:role/backup");
  });

  test.each([
    ["no profile 'default'", { credentials: `[other]\n${KEYS}` }, "[default]"],
    ["keys without a profile", { credentials: KEYS }, "[default]"],
    ["half of the keys", { credentials: "[default]\naws_access_key_id = AKIA1\n" }, "aws_secret_access_key"],
    ["something else altogether", { credentials: "canary-of-a-secret" }, "[default]"],
    ["a source_profile that is not there", { config: "[default]\nrole_arn = a\nsource_profile = gone\n" }, "'gone'"],
    ["a region that is a part of a host", { config: "[default]\nregion = evil.example/#\n" }, "'region'"],
    ["a program to run", { config: "[default]\ncredential_process = /bin/id\n" }, "credential_process"],
  ])("refuses %s, and says nothing secret", async (_, profile, hint) => {
    const error = await storeErrorOf((async () => readProfile(profile))());
    expect(error.code).toBe("bad-credentials");
    expect(error.message).toContain(hint);
    expect(error.message).not.toMatch(/AKIA1|abc|canary/);
  });
});
