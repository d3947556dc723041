/**
 * Package names of the plugins that run unless the configuration switches them off. They start in this order, as far as their needs let them: that which reads
 * an index from the disk, and what that needs, before others.
 */
export const preset: readonly string[] = [
  '@sextant/service-git',
  '@sextant/service-search-index',
  '@sextant/service-sqlite',
  '@sextant/service-directory',
  '@sextant/service-usage',
  '@sextant/service-credits',
  '@sextant/service-sources',
  '@sextant/source-bitbucket',
  '@sextant/source-gerrit',
  '@sextant/source-gitea',
  '@sextant/source-github',
  '@sextant/source-gitlab',
  '@sextant/service-scip',
  '@sextant/service-symbols',
  '@sextant/service-history-index',
  '@sextant/service-researcher',
  '@sextant/service-language-model',
  '@sextant/service-conversations',
  '@sextant/service-lua',
  '@sextant/service-audit',
  '@sextant/service-sessions',
  '@sextant/auth-access-token',
  '@sextant/auth-oauth',
  '@sextant/auth-oidc',
  '@sextant/auth-password',
  '@sextant/report-by-user-client-date',
  '@sextant/report-credits',
  '@sextant/report-user-registry',
  '@sextant/page-access-tokens',
  '@sextant/page-analytics',
  '@sextant/page-oauth-clients',
  '@sextant/page-home',
  '@sextant/page-search',
  '@sextant/page-browse',
  '@sextant/page-deepsearch',
  '@sextant/page-site-admin',
  '@sextant/tool-code-finder',
  '@sextant/tool-commit-search',
  '@sextant/tool-compare-revisions',
  '@sextant/tool-deepsearch',
  '@sextant/tool-deepsearch-read',
  '@sextant/tool-diff-search',
  '@sextant/tool-evaluator',
  '@sextant/tool-get-contributor-repos',
  '@sextant/tool-find-references',
  '@sextant/tool-go-to-definition',
  '@sextant/tool-keyword-search',
  '@sextant/tool-list-files',
  '@sextant/tool-list-refs',
  '@sextant/tool-list-repos',
  '@sextant/tool-nls-search',
  '@sextant/tool-read-file',
];

/** Package names of plugins that come along, and run only where the configuration names them. */
export const alternatives: readonly string[] = [
  '@sextant/service-postgres',
  '@sextant/service-search-zoekt',
  '@sextant/service-tracing',
];

/** Package names of plugins that run only where the configuration has `cluster`. */
export const clusterPlugins: readonly string[] = [
  '@sextant/service-cluster',
  '@sextant/service-node-server',
  '@sextant/service-code-nodes',
];

/** What nodes have and hosts ask them for. */
export const ownedByNodes: readonly string[] = [
  '@sextant/service-git',
  '@sextant/service-search-index',
  '@sextant/service-history-index',
  '@sextant/service-node-server',
];

/** All that runs on a node: besides the above, what tells who may read the repositories of code hosts. */
export const nodePlugins: readonly string[] = [
  '@sextant/service-cluster',
  ...ownedByNodes,
  '@sextant/service-symbols',
  '@sextant/service-researcher',
  '@sextant/service-sqlite',
  '@sextant/service-postgres',
  '@sextant/service-directory',
  '@sextant/service-audit',
  '@sextant/service-sessions',
  '@sextant/service-sources',
  '@sextant/service-tracing',
  '@sextant/source-bitbucket',
  '@sextant/source-gerrit',
  '@sextant/source-gitea',
  '@sextant/source-github',
  '@sextant/source-gitlab',
  '@sextant/auth-oidc',
];

/** Where those names are to be resolved from: this package depends on all of them. */
export const presetURL: string = import.meta.url;
