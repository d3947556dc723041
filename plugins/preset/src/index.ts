/** Package names of the plugins that run unless the configuration switches them off, in no particular order. */
export const preset: readonly string[] = [
  '@sextant/service-sqlite',
  '@sextant/service-directory',
  '@sextant/service-git',
  '@sextant/service-usage',
  '@sextant/service-credits',
  '@sextant/service-search-index',
  '@sextant/service-symbols',
  '@sextant/service-history-index',
  '@sextant/service-audit',
  '@sextant/service-sessions',
  '@sextant/auth-access-token',
  '@sextant/auth-password',
  '@sextant/report-by-user-client-date',
  '@sextant/report-credits',
  '@sextant/report-user-registry',
  '@sextant/page-access-tokens',
  '@sextant/tool-commit-search',
  '@sextant/tool-compare-revisions',
  '@sextant/tool-diff-search',
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

/** Where those names are to be resolved from: this package depends on all of them. */
export const presetURL: string = import.meta.url;
