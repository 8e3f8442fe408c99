import { partsOfKube, partsOfNode, partsOfTests } from "@etcd-operator/testing/prepare/parts.ts";
import { prepare } from "@etcd-operator/testing/prepare/prepare.ts";

// Before the tests, because in them nothing is downloaded or built. With "kube": what make test-kube needs, too; with
// "node": what make test-node needs.
const [withKube, withNode] = ["kube", "node"].map((word) => process.argv.includes(word));
try {
  const further = [...(withKube ? await partsOfKube() : []), ...(withNode ? await partsOfNode() : [])];
  await prepare([...(await partsOfTests()), ...further]);
} catch (error) {
  const cause = error instanceof Error && error.cause instanceof Error ? `: ${error.cause.message}` : "";
  process.stderr.write(`make prepare: ${error instanceof Error ? error.message : String(error)}${cause}\n`);
  process.exitCode = 1;
}
