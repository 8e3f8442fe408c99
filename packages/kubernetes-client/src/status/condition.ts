/** A condition as Kubernetes has it today, with the field that older operators wrote beside it. */
export interface Condition {
  readonly type: string;
  readonly status: "True" | "False" | "Unknown";
  readonly observedGeneration?: number | undefined;
  readonly lastUpdateTime?: string | undefined;
  readonly lastTransitionTime?: string | undefined;
  readonly reason?: string | undefined;
  readonly message?: string | undefined;
}
