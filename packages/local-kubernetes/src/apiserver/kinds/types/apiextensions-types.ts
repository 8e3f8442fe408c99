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
CustomResourceValidation: openAPIV3Schema:JSONSchemaProps
JSONSchemaProps: id $schema $ref? description type format title default:any? maximum:number? exclusiveMaximum:bool
  minimum:number? exclusiveMinimum:bool maxLength:int? minLength:int? pattern maxItems:int? minItems:int?
  uniqueItems:bool multipleOf:number? enum[any] maxProperties:int? minProperties:int? required[] items:any
  allOf[JSONSchemaProps] oneOf[JSONSchemaProps] anyOf[JSONSchemaProps] not:JSONSchemaProps
  properties{JSONSchemaProps} additionalProperties:any? patternProperties{JSONSchemaProps} dependencies:any
  additionalItems:any? definitions{JSONSchemaProps} externalDocs:any example:any? nullable:bool
  x-kubernetes-preserve-unknown-fields:bool? x-kubernetes-embedded-resource:bool x-kubernetes-int-or-string:bool
  x-kubernetes-list-map-keys[] x-kubernetes-list-type? x-kubernetes-map-type?
  x-kubernetes-validations[ValidationRule/rule]
ValidationRule: rule! message messageExpression reason? fieldPath optionalOldSelf:bool?
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
