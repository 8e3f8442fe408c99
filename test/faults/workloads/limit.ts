/**
 * For how long anything is waited for, on the virtual clock. Where it is known that something does not come to its end,
 * there is no use in waiting for as long.
 */
export const LIMIT_MS = Number(process.env.FAULTS_LIMIT_MINUTES ?? 30) * 60_000;
