import { describe, expect, test } from "vitest";
import { scopeOf } from "../../scope.ts";
import type { ConformanceTarget, KubeObject } from "../../target.ts";

const containers = [{ name: "main", image: "none" }];
const labels = { a: "b" };
const served = { metadata: { labels }, spec: { containers } };
const oneShot = { spec: { restartPolicy: "Never", containers } };

type Refused = readonly [string, Readonly<Record<string, unknown>>, readonly string[]];

const percent =
  "a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')";

const deployments: readonly Refused[] = [
  [
    "fewer than no replicas",
    { replicas: -1 },
    ["spec.replicas: Invalid value: -1: must be greater than or equal to 0"],
  ],
  [
    "steps for a strategy without any",
    { strategy: { type: "Recreate", rollingUpdate: { maxSurge: 1 } } },
    ["spec.strategy.rollingUpdate: Forbidden: may not be specified when strategy `type` is 'Recreate'"],
  ],
  [
    "no leeway at all",
    { strategy: { rollingUpdate: { maxSurge: 0, maxUnavailable: 0 } } },
    ["spec.strategy.rollingUpdate.maxUnavailable: Invalid value: 0: may not be 0 when `maxSurge` is 0"],
  ],
  [
    "portions that are none",
    { strategy: { rollingUpdate: { maxSurge: "x", maxUnavailable: "200%" } } },
    [
      `spec.strategy.rollingUpdate.maxSurge: Invalid value: "x": ${percent}`,
      'spec.strategy.rollingUpdate.maxUnavailable: Invalid value: "200%": must not be greater than 100%',
    ],
  ],
  [
    "a deadline before anything can be available",
    { minReadySeconds: 700 },
    ["spec.progressDeadlineSeconds: Invalid value: 600: must be greater than minReadySeconds"],
  ],
  [
    "a selector for everything",
    { selector: {} },
    ["spec.selector: Invalid value: {}: empty selector is invalid for deployment"],
  ],
  [
    "a selector without values",
    { selector: { matchExpressions: [{ key: "a", operator: "In" }] } },
    [
      "spec.selector.matchExpressions[0].values: Required value: must be specified when `operator` is 'In' or 'NotIn'",
      'spec.selector: Invalid value: {"matchExpressions":[{"key":"a","operator":"In"}]}: invalid label selector',
    ],
  ],
  [
    "pods that end",
    { template: { ...served, spec: { containers, restartPolicy: "Never" } } },
    ['spec.template.spec.restartPolicy: Unsupported value: "Never": supported values: "Always"'],
  ],
];

const jobs: readonly Refused[] = [
  [
    "fewer than no pods",
    { parallelism: -1 },
    ["spec.parallelism: Invalid value: -1: must be greater than or equal to 0"],
  ],
  [
    "an unknown mode",
    { completionMode: "X" },
    ['spec.completionMode: Unsupported value: "X": supported values: "NonIndexed", "Indexed"'],
  ],
  [
    "pods that never end",
    { template: { spec: { containers } } },
    ['spec.template.spec.restartPolicy: Required value: valid values: "OnFailure", "Never"'],
  ],
  [
    "a selector of its own making that is not there",
    { manualSelector: true },
    [
      "spec.selector: Required value",
      "spec.template.metadata.labels: Invalid value: null: `selector` does not match template `labels`",
    ],
  ],
  [
    "limits of indexes without indexes",
    { maxFailedIndexes: 3 },
    [
      "spec.backoffLimitPerIndex: Required value: when maxFailedIndexes is specified",
      "spec.maxFailedIndexes: Invalid value: 3: requires indexed completion mode",
    ],
  ],
  [
    "a manager without a domain",
    { managedBy: "x" },
    ['spec.managedBy: Invalid value: "x": must be a domain-prefixed path (such as "acme.io/foo")'],
  ],
];

const schedules: readonly (readonly [string, string])[] = [
  ["x", "expected exactly 5 fields, found 1: [x]"],
  ["60 * * * *", "end of range (60) above maximum (59): 60"],
  ["* * 0 * *", "beginning of range (0) below minimum (1): 0"],
  ["5-1 * * * *", "beginning of range (5) beyond end of range (1): 5-1"],
  ["*/0 * * * *", "step of range should be a positive number: */0"],
  ["1,2-x * * * *", 'failed to parse int from x: strconv.Atoi: parsing "x": invalid syntax'],
  ["* * * * 7", "end of range (7) above maximum (6): 7"],
  ["@never", "unrecognized descriptor: @never"],
  ["@every 1x", 'failed to parse duration @every 1x: time: unknown unit "x" in duration "1x"'],
  ["TZ=UTC * * * * *", "cannot use TZ or CRON_TZ in schedule, use timeZone field instead"],
];

const cronJobs: readonly Refused[] = [
  ...schedules.map(
    ([schedule, error]): Refused => [
      `the schedule ${schedule}`,
      { schedule },
      [`spec.schedule: Invalid value: "${schedule}": ${error}`],
    ],
  ),
  [
    "an unknown time zone",
    { timeZone: "No/Where" },
    ['spec.timeZone: Invalid value: "No/Where": unknown time zone No/Where'],
  ],
  [
    "an unknown policy",
    { concurrencyPolicy: "X" },
    ['spec.concurrencyPolicy: Unsupported value: "X": supported values: "Allow", "Forbid", "Replace"'],
  ],
  [
    "a Job that chooses its pods",
    { jobTemplate: { spec: { template: oneShot, manualSelector: true } } },
    ['spec.jobTemplate.spec.manualSelector: Unsupported value: true: supported values: "nil", "false"'],
  ],
];

/** What an API server says of workloads that could not work. */
export function workloadValidationCases(target: () => ConformanceTarget): void {
  describe("workloads that could not work", () => {
    const at = scopeOf(target);

    async function refused(resource: string, spec: unknown): Promise<string[]> {
      const { code, body } = await at().rest("POST", at().path(resource), { metadata: { name: "refused" }, spec });
      expect([code, body.reason]).toEqual([422, "Invalid"]);
      const { causes } = body.details as { causes: { field: string; message: string }[] };
      return causes.map(({ field, message }) => `${field}: ${message}`).sort();
    }

    test.each(deployments)("a Deployment with %s is refused", async (_, spec, causes) => {
      const whole = { selector: { matchLabels: labels }, template: served, ...spec };
      expect(await refused("apps/v1/deployments", whole)).toEqual([...causes].sort());
    });

    test.each(jobs)("a Job with %s is refused", async (_, spec, causes) => {
      expect(await refused("batch/v1/jobs", { template: oneShot, ...spec })).toEqual([...causes].sort());
    });

    test.each(cronJobs)("a CronJob with %s is refused", async (_, spec, causes) => {
      const whole = { schedule: "@hourly", jobTemplate: { spec: { template: oneShot } }, ...spec };
      expect(await refused("batch/v1/cronjobs", whole)).toEqual([...causes].sort());
    });

    test("a CronJob may be called so that its Jobs' names fit into a label, and no longer", async () => {
      const spec = { schedule: "@every 1h", suspend: true, jobTemplate: { spec: { template: oneShot } } };
      await at().create("batch/v1/cronjobs", { metadata: { name: "a".repeat(52) }, spec });
      const answer = await at().rest("POST", at().path("batch/v1/cronjobs"), {
        metadata: { name: "a".repeat(53) },
        spec,
      });
      expect(answer.code).toBe(422);
      expect(answer.body.message).toMatch(/metadata.name: Invalid value: "a{53}": must be no more than 52 characters$/);
    });

    test("a Job keeps its selector, its template and its completions", async () => {
      const job = await at().create("batch/v1/jobs", {
        metadata: { name: "fixed" },
        spec: { suspend: true, template: oneShot },
      });
      const changes: KubeObject[] = [
        { spec: { completions: 3 } },
        { spec: { template: { spec: { terminationGracePeriodSeconds: 3 } } } },
        { spec: { completionMode: "Indexed" } },
      ];
      for (const change of changes) {
        const { code, body } = await at().rest("PATCH", at().path("batch/v1/jobs", "fixed"), change);
        expect([code, String(body.message).endsWith("field is immutable")]).toEqual([422, true]);
      }
      expect((job.spec as { parallelism: number }).parallelism).toBe(1);
      const more = await at().rest("PATCH", at().path("batch/v1/jobs", "fixed"), { spec: { parallelism: 3 } });
      expect(more.code).toBe(200);
    });
  });
}
