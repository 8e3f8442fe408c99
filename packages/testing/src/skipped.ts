/** The title of a test, with the reason for which it is skipped; the totals of a run repeat the reason. */
export function titleWith(title: string, obstacle: string | undefined | false): string {
  return obstacle ? `${title} (skipped: ${obstacle})` : title;
}
