export { Catalogue, Placement } from './catalogue.ts';
export type { CatalogueEntry } from './catalogue.ts';
export { Cluster } from './cluster.ts';
export type { ClusterNode } from './cluster.ts';
export { nodeMethods } from './methods.ts';
export type { NodeMethods } from './methods.ts';
