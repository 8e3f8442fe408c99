/** CustomResourceDefinitions. `type-table.ts` says how to read it. */
export const apiextensionsTypes = `
CustomResourceDefinition: * metadata:ObjectMeta spec:CustomResourceDefinitionSpec!
  status:CustomResourceDefinitionStatus
CustomResourceDefinitionSpec: group! @3 names:CustomResourceDefinitionNames! scope! @7
  versions[CustomResourceDefinitionVersion]! @9 conversion:CustomResourceConversion preserveUnknownFields:bool
CustomResourceDefinitionNames: plural! singular shortNames[] kind! listKind categories[]
CustomResourceDefinitionVersion: name! served:bool! storage:bool! schema:CustomResourceValidation
  subresources:CustomResourceSubresources additionalPrinterColumns[CustomResourceColumnDefinition] deprecated:bool
  deprecationWarning? selectableFields[SelectableField]
CustomResourceValidation: openAPIV3Schema:any
CustomResourceSubresources: status:CustomResourceSubresourceStatus scale:CustomResourceSubresourceScale
CustomResourceSubresourceStatus:
CustomResourceSubresourceScale: specReplicasPath! statusReplicasPath! labelSelectorPath?
CustomResourceColumnDefinition: name! type! format description priority:int jsonPath!
SelectableField: jsonPath!
CustomResourceConversion: strategy! webhook:any
CustomResourceDefinitionStatus: conditions[CustomResourceDefinitionCondition]
  acceptedNames:CustomResourceDefinitionNames storedVersions[]
CustomResourceDefinitionCondition: type! status! lastTransitionTime:time reason message
`;
