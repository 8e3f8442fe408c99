import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";

test("the generated code is what the .proto files give", async () => {
  const script = fileURLToPath(new URL("../../../../scripts/generate-etcd-protocol.sh", import.meta.url));
  await expect(promisify(execFile)(script, ["--check"])).resolves.toBeDefined();
});
