/** What `sextant plugin new` can write. */
export const pluginKinds = [
  'tool',
  'service',
  'report',
  'page',
  'authenticator',
  'command',
  'language',
  'source',
] as const;
export type PluginKind = (typeof pluginKinds)[number];

/** A kind of plugin. Its code is the example of that name in `examples/`. */
export interface Kind {
  /** What names of plugins of this kind begin with. */
  readonly prefix: string;
  /** The name that the example has behind the prefix: two words, so that each spelling of it is found. */
  readonly example: string;
  readonly purpose: string;
  /** Settings that it cannot do without; for its tests. */
  readonly settings?: object;
  /** What an operator writes below its name. */
  readonly below?: string;
  /** What an operator writes beside `plugins`, with the example's name. */
  readonly beside?: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  /** Whether it can run in the server's process alone. */
  readonly needsTrust?: true;
}

export const kinds: Readonly<Record<PluginKind, Kind>> = {
  tool: { prefix: 'tool', example: 'file-length', purpose: 'A tool that measures a file' },
  service: {
    prefix: 'service',
    example: 'word-meanings',
    purpose: 'A service that explains words, and its tool',
    below: 'words: { cart: What a customer is about to buy }',
  },
  report: { prefix: 'report', example: 'branch-count', purpose: 'A report of the branches of each repository' },
  page: { prefix: 'page', example: 'repository-overview', purpose: 'A page that lists repositories' },
  authenticator: {
    prefix: 'auth',
    example: 'signed-header',
    purpose: 'Lets in whom a proxy names in a signed header',
    settings: { secret: 'only for tests: thirty-two characters' },
    below: 'secret: "${env:PROXY_SECRET}"',
    needsTrust: true,
  },
  command: {
    prefix: 'command',
    example: 'repository-access',
    purpose: 'A command that lists what a user may read',
    needsTrust: true,
  },
  language: {
    prefix: 'language',
    example: 'ini-files',
    purpose: 'A language for code navigation',
    dependencies: { '@vscode/tree-sitter-wasm': '^0.3.1' },
    needsTrust: true,
  },
  source: {
    prefix: 'source',
    example: 'repository-list',
    purpose: 'A document as a source of repositories',
    beside: 'sources:\n  - { type: repository-list, url: https://code.example.com/list.json }\n',
    needsTrust: true,
  },
};
