import type { Draw } from "./draw.ts";

/** The query of a write: mostly none, sometimes a dry run, a way of validating fields, or nonsense. */
export function writeQuery(draw: Draw): string {
  return draw.weighted([
    [12, ""],
    [2, "?dryRun=All"],
    [2, "?fieldValidation=Strict"],
    [1, "?fieldValidation=Ignore"],
    [1, "?fieldValidation=Warn&fieldManager=tester"],
    [1, "?dryRun=All&fieldValidation=Strict"],
    [0.5, "?dryRun=Nothing"],
    [0.5, "?fieldValidation=Never"],
    [0.5, "?pretty=true"],
    [0.5, "?unknown=1"],
    [0.3, `?fieldManager=${"m".repeat(130)}`],
  ]);
}

/** The query of a list, always narrowed to what its story made. */
export function listQuery(draw: Draw): string {
  const own = "story=@{ns}";
  const labels = draw.weighted([
    [10, own],
    [1, `${own},color=red`],
    [1, `${own},color!=red`],
    [1, `${own},color in (red, blue)`],
    [1, `${own},!color`],
    [0.5, `${own},a b`],
    [0.5, `${own},color in ()`],
    [0.5, `${own},-bad-=x`],
    [0.5, `${own},color=${"x".repeat(70)}`],
    [0.5, `${own},color>3`],
    [0.5, `${own},color>x`],
    [0.5, `${own},`],
  ]);
  const rest = draw.weighted([
    [10, ""],
    [1, "&limit=1"],
    [1, "&limit=2&continue=@{continue}"],
    [0.5, "&limit=-1"],
    [0.5, "&limit=x"],
    [1, "&fieldSelector=metadata.name%3Da"],
    [0.5, "&fieldSelector=metadata.name!%3Da"],
    [0.5, "&fieldSelector=spec.nothing%3Da"],
    [0.5, "&fieldSelector=metadata.name"],
    [1, "&resourceVersion=0"],
    [1, "&resourceVersion=@{rv}&resourceVersionMatch=NotOlderThan"],
    [1, "&resourceVersion=@{start}&resourceVersionMatch=Exact"],
    [0.5, "&resourceVersionMatch=Exact"],
    [0.5, "&resourceVersion=0&resourceVersionMatch=Exact"],
    [0.5, "&resourceVersion=1&resourceVersionMatch=Sometimes"],
    [0.5, "&resourceVersion=x"],
    [0.5, "&resourceVersion=-1"],
    [0.5, "&continue=nonsense"],
    [0.5, "&continue=@{continue}&resourceVersion=@{rv}"],
    [0.5, "&timeoutSeconds=5"],
    [0.5, "&timeoutSeconds=x"],
    [0.5, "&sendInitialEvents=true"],
    [0.5, "&watch=false"],
  ]);
  return `?labelSelector=${encodeURIComponent(labels).replaceAll("%40%7Bns%7D", "@{ns}")}${rest}`;
}
