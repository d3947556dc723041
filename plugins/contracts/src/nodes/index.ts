export { Catalogue, Placement } from './catalogue.ts';
export type { CatalogueEntry } from './catalogue.ts';
export { Cluster } from './cluster.ts';
export type { ClusterMember, ClusterMembers, ClusterNode, ClusterReport } from './cluster.ts';
export { nodeMethods } from './methods.ts';
export type { NodeMethods } from './methods.ts';
export { SoughtSymbols, SymbolNodes } from './symbol-nodes.ts';
export type { RepositoriesHaving } from './symbol-nodes.ts';
