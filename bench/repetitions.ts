/** How often something is measured: fewer times with `make bench QUICK=1`. */
export function repetitions(thorough: number, quick: number, env: NodeJS.ProcessEnv = process.env): number {
  return env.QUICK === undefined || ["", "0"].includes(env.QUICK) ? thorough : quick;
}
