export { customResourceDefinition } from "./api/crd/custom-resource-definition.ts";
export { type Kind, kinds } from "./api/kinds.ts";
export { NODE_FLAGS } from "./process/node-flags.ts";
