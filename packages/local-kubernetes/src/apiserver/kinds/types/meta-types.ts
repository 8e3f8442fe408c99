/** Metadata, and what many kinds share. `type-table.ts` says how to read it. */
export const metaTypes = `
ObjectMeta: name generateName namespace selfLink uid resourceVersion generation:int creationTimestamp:time
  deletionTimestamp:time deletionGracePeriodSeconds:int? labels{} annotations{} ownerReferences[OwnerReference/uid]
  finalizers[+] @17 managedFields[ManagedFieldsEntry]
OwnerReference: kind! @3 name! uid! apiVersion! controller:bool? blockOwnerDeletion:bool?
ManagedFieldsEntry: manager operation apiVersion time:time @6 fieldsType fieldsV1:any subresource
LabelSelector: matchLabels{} matchExpressions[LabelSelectorRequirement]
LabelSelectorRequirement: key! operator! values[]
LocalObjectReference: name
ObjectReference: kind namespace name uid apiVersion resourceVersion fieldPath
Condition: type! status! observedGeneration:int lastTransitionTime:time! reason! message!
`;
