/** Without fractions of a second, as Kubernetes writes it. */
export function timestamp(time: Date): string {
  return `${time.toISOString().slice(0, 19)}Z`;
}
