import { partsOfKube, partsOfTests } from "@etcd-operator/testing/prepare/parts.ts";
import { prepare } from "@etcd-operator/testing/prepare/prepare.ts";

// Before the tests, because in them nothing is downloaded or built. With "kube": what make test-kube needs, too.
const withKube = process.argv.includes("kube");
try {
  await prepare([...(await partsOfTests()), ...(withKube ? await partsOfKube() : [])]);
} catch (error) {
  const cause = error instanceof Error && error.cause instanceof Error ? `: ${error.cause.message}` : "";
  process.stderr.write(`make prepare: ${error instanceof Error ? error.message : String(error)}${cause}\n`);
  process.exitCode = 1;
}
