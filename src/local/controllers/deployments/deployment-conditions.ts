import type { DeploymentCondition } from "kubernetes-types/apps/v1.d.ts";

type Conditions = readonly DeploymentCondition[];

/** Nothing changes while status and reason stay, whatever the message; the time of transition follows the status alone. */
export function withCondition(conditions: Conditions, condition: DeploymentCondition): DeploymentCondition[] {
  const present = conditions.find(({ type }) => type === condition.type);
  const isSameStatus = present?.status === condition.status;
  if (isSameStatus && present.reason === condition.reason) return [...conditions];
  const kept = isSameStatus && present.lastTransitionTime && { lastTransitionTime: present.lastTransitionTime };
  return [...withoutCondition(conditions, condition.type), { ...condition, ...kept }];
}

export function withoutCondition(conditions: Conditions, type: string): DeploymentCondition[] {
  return conditions.filter((condition) => condition.type !== type);
}

export function conditionOf(conditions: Conditions | undefined, type: string): DeploymentCondition | undefined {
  return conditions?.find((condition) => condition.type === type);
}
