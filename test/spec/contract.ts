/** The tables of the contract on endpoints and tools, as data. */

export type Endpoint = 'default' | 'deepsearch';

/** Where each tool is listed besides `all` and `v1`, which have every tool. */
export const placement: Readonly<Record<string, readonly Endpoint[]>> = {
  code_finder: ['default'],
  commit_search: ['default'],
  compare_revisions: [],
  deepsearch: ['deepsearch'],
  deepsearch_read: ['default', 'deepsearch'],
  diff_search: ['default'],
  evaluator: ['default'],
  find_references: [],
  get_contributor_repos: [],
  go_to_definition: [],
  keyword_search: ['default'],
  list_files: ['default'],
  list_refs: [],
  list_repos: ['default'],
  nls_search: [],
  read_file: ['default'],
};

/** Tools that are also on an endpoint, but only while another tool is disabled or not loaded. */
export const placementUnless: Readonly<Record<string, { endpoint: Endpoint; unless: string }>> = {
  nls_search: { endpoint: 'default', unless: 'code_finder' },
};

/** Parameters: type (s, i, b, s[]), range of an integer, default; `!` marks required ones. */
export const parameters: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  code_finder: { task: 's!', revision: 's' },
  read_file: { repo: 's!', path: 's!', startLine: 'i ≥1', endLine: 'i ≥1', revision: 's' },
  keyword_search: { query: 's!' },
  nls_search: { query: 's!' },
  list_files: { repo: 's!', path: 's = ""', revision: 's' },
  list_repos: { query: 's!', limit: 'i 1–10000 = 50' },
  list_refs: { repo: 's!', tagsOnly: 'b = false', headsOnly: 'b = false', containsCommit: 's', limit: 'i 1–500 = 100' },
  commit_search: {
    repos: 's[]!',
    messageTerms: 's[]',
    authors: 's[]',
    contentTerms: 's[]',
    files: 's[]',
    after: 's',
    before: 's',
    revisions: 's[]',
    order: 's = "newest"',
    count: 'i 1–100 = 50',
    useRegex: 'b = false',
  },
  diff_search: {
    pattern: 's!',
    repos: 's[]!',
    added: 'b = false',
    removed: 'b = false',
    authors: 's[]',
    after: 's',
    before: 's',
    revisions: 's[]',
    order: 's = "newest"',
    count: 'i 1–50 = 20',
    useRegex: 'b = false',
  },
  get_contributor_repos: { authors: 's[]!', limit: 'i 1–100 = 20', minCommits: 'i ≥1 = 1' },
  go_to_definition: { repo: 's!', path: 's!', symbol: 's!', line: 'i ≥1', revision: 's' },
  evaluator: { script: 's!' },
  find_references: { repo: 's!', path: 's!', symbol: 's!', line: 'i ≥1', revision: 's', limit: 'i 1–1000 = 10' },
  deepsearch: { question: 's!' },
  deepsearch_read: { identifier: 's!' },
  compare_revisions: { repo: 's!', base: 's!', head: 's!', first: 'i 1–100 = 50', after: 's' },
};

/** Keys of the structured result, `?` marks those that may be absent. */
export const results: Readonly<Record<string, string>> = {
  code_finder: 'summary locations',
  read_file: 'repo path revision startLine endLine totalLines truncated content notice?',
  keyword_search: 'blocks matchCount fileCount? limitHit notSearched? notes?',
  nls_search: 'blocks matchCount fileCount? limitHit notSearched? notes?',
  list_files: 'files truncated',
  list_repos: 'repositories hasMoreResults',
  list_refs: 'refs hasMoreResults notes?',
  commit_search: 'query totalCount atLeast? limitHit commits notes?',
  diff_search: 'query totalCount atLeast? limitHit results notes?',
  get_contributor_repos: 'repositories limitHit notes?',
  go_to_definition: 'fileBlocks precision byNameOnly? outside? notes?',
  evaluator: 'result output files stats notes?',
  find_references: 'fileBlocks precision totalCount limitHit byNameOnly? outside? notes?',
  deepsearch: 'identifier link status answer?',
  deepsearch_read: 'status title markdown sources link',
  compare_revisions:
    'repository base head totalAdded totalDeleted totalModified atLeast? allFiles? files hasNextPage endCursor? notes?',
};
