import { execFileSync } from 'node:child_process';
import { call } from '../../support/rpc.ts';

/** One request of a caller: a page, or a message to the MCP endpoint that has all tools. */
export type Heavy = { readonly page: string } | { readonly message: object };

/** A repository, and what is asked about it. */
export interface Subject {
  readonly repo: string;
  /** Files of source code, the longest first. */
  readonly paths: readonly string[];
  /** Names that these files define, those that most of them use first. */
  readonly names: readonly Name[];
  /** First lines of messages of commits. */
  readonly titles: readonly string[];
  /** Commits of the default branch. */
  readonly commitCount: number;
}

interface Name {
  readonly name: string;
  readonly path: string;
}

const source = /\.(c|cc|cpp|cs|go|java|js|kt|php|py|rb|rs|scala|ts|tsx)$/;
const sampledFiles = 400;
const [leastBytes, mostBytes] = [2000, 100_000];
const definition =
  /^ *(?:[a-z]+ )*?(?:class|interface|enum|struct|function|func|def|fn|trait|type|const) ([\p{L}_$][\p{L}\p{N}_$]{3,})/gmu;

export function readSubject(folder: string, repo: string): Subject {
  const git = (args: readonly string[], input = ''): string =>
    execFileSync('git', ['-C', folder, ...args], { input, maxBuffer: 1 << 30 }).toString();
  const files = git(['ls-tree', '-r', '-l', '-z', 'HEAD']).split('\0').flatMap(sourceFile);
  const paths = files.toSorted((a, b) => b.bytes - a.bytes).map(({ path }) => path);
  const every = Math.ceil(paths.length / sampledFiles);
  const sampled = paths.filter((_, index) => index % every === 0);
  const texts = sampled.map((path) => ({ path, text: git(['show', `HEAD:${path}`]) }));
  const titles = git(['log', '--max-count=2000', '--no-merges', '--format=%s']).split('\n');
  return {
    repo,
    paths: sampled,
    names: commonNames(texts),
    // Without what is a filter in a query.
    titles: titles
      .map((title) => title.replaceAll(/[^\p{L}\p{N} _.]+/gu, ' '))
      .filter((title, index) => index % 10 === 0 && title.length > 20),
    commitCount: Number(git(['rev-list', '--count', '--first-parent', 'HEAD'])),
  };
}

function sourceFile(line: string): { path: string; bytes: number }[] {
  const [, size, path = ''] = /^\d+ blob \w+ +(\d+)\t(.*)$/s.exec(line) ?? [];
  const bytes = Number(size);
  return source.test(path) && bytes > leastBytes && bytes < mostBytes ? [{ path, bytes }] : [];
}

function commonNames(texts: readonly { path: string; text: string }[]): Name[] {
  const counts = new Map<string, number>();
  for (const { text } of texts)
    for (const word of new Set(text.match(/[\p{L}_$][\p{L}\p{N}_$]{3,}/gu)))
      counts.set(word, (counts.get(word) ?? 0) + 1);
  const defined = texts.flatMap(({ path, text }) => {
    const names = [...text.matchAll(definition)].flatMap(([, name]) => name ?? []);
    return [...new Set(names)].map((name) => ({ name, path }));
  });
  return defined.toSorted((a, b) => (counts.get(b.name) ?? 0) - (counts.get(a.name) ?? 0));
}

const tool = (name: string, args: object): Heavy => ({ message: call(name, args) });
const page = (path: string): Heavy => ({ page: path });
export const at = <T>(all: readonly T[], turn: number): T => {
  const one = all[turn % all.length];
  if (one === undefined) throw new Error('the repository has too little to ask about');
  return one;
};
/** So that those asked for in turn are common and rare ones. */
const nameAt = ({ names }: Subject, turn: number): Name => at(names, turn % 2 === 0 ? turn : Math.floor(turn * 7.3));
const blob = ({ repo, paths }: Subject, turn: number): string =>
  `/${repo}/-/blob/${at(paths, turn).split('/').map(encodeURIComponent).join('/')}`;
const scripts = [
  (word: string) => `local n = 0 for i = 1, 100 do n = n + #search.keyword('${word} ' .. i).matches end return n`,
  (word: string) => `return #search.keyword('${word}').matches`,
  (_: string, { repo, paths }: Subject) =>
    `local n = 0 for i = 1, 1000 do n = n + #source.read_file{repo = '${repo}', path = '${paths[0]}'}.text end return n`,
  (_: string, { repo }: Subject) => `return #search.commits{repos = {'${repo}'}}.matches`,
  (_: string, { repo, names: [first] }: Subject) =>
    `local n = 0 for i = 1, 20 do n = n + code.references{repo = '${repo}', path = '${first?.path}', symbol = '${first?.name}', limit = 1000}.totalCount end return n`,
  () => 'local x = 0 for i = 1, 1e7 do x = x + i end return x',
] as const;

/** What is asked of a repository in the turn of so many, for each kind of heavy call. */
export const kinds: Readonly<Record<string, (subject: Subject, turn: number) => Heavy>> = {
  'type:symbol': (subject, turn) => {
    const { name } = nameAt(subject, turn);
    const queries = [
      `type:symbol ${name.slice(0, 3)}`,
      `type:symbol repo:^${subject.repo}$ /^${name.slice(0, 2)}.*e/`,
      `type:symbol ${name}`,
      'type:symbol e count:all',
    ];
    return tool('keyword_search', { query: at(queries, turn) });
  },
  go_to_definition: (subject, turn) => {
    const { name, path } = nameAt(subject, turn);
    return tool('go_to_definition', { repo: subject.repo, path, symbol: name });
  },
  find_references: (subject, turn) => {
    const { name, path } = nameAt(subject, turn);
    return tool('find_references', { repo: subject.repo, path, symbol: name, limit: 1000 });
  },
  code_finder: ({ repo, titles }, turn) => tool('code_finder', { task: `In ${repo}: ${at(titles, turn)}` }),
  nls_search: ({ titles }, turn) => tool('nls_search', { query: at(titles, turn) }),
  deepsearch: ({ repo, titles }, turn) =>
    tool('deepsearch', { question: `In ${repo}: how does this work? ${at(titles, turn)}` }),
  evaluator: (subject, turn) => tool('evaluator', { script: at(scripts, turn)(nameAt(subject, turn).name, subject) }),
  compare_revisions: ({ repo, commitCount }, turn) => {
    const far = Math.floor(commitCount / (1 + (turn % 8)));
    return tool('compare_revisions', { repo, base: `HEAD~${far - 1}`, head: 'HEAD', first: 100 });
  },
  commit_search: ({ repo, names }, turn) => {
    const { name } = at(names, turn);
    const terms =
      turn % 2 === 0 ? { messageTerms: [`${name.slice(0, 3)}.*[0-9]+`] } : { contentTerms: [`${name}\\([a-z]+`] };
    return tool('commit_search', { repos: [repo], ...terms, count: 100, useRegex: true });
  },
  diff_search: ({ repo, names }, turn) => {
    const patterns = [
      `${at(names, turn).name}\\([a-z]+`,
      '0x[0-9a-f]{6}',
      '[a-z]+Error\\(',
      `[0-9]{${6 + (turn % 5)}}`,
    ];
    return tool('diff_search', { repos: [`^${repo}$`], pattern: at(patterns, turn), useRegex: true, count: 50 });
  },
  'keyword_search, slow': (_, turn) =>
    tool('keyword_search', {
      query: at(['/[a-z]+ [a-z]+$/ count:all', 'e count:all', 'error OR return count:500', '/[0-9a-f]{40}/'], turn),
    }),
  'pages of files': (subject, turn) => page(blob(subject, turn)),
  'pages of folders': ({ repo, paths }, turn) => {
    const folders = at(paths, turn).split('/').slice(0, -1);
    return page(`/${repo}/-/tree/${folders.slice(0, turn % (folders.length + 1)).join('/')}`);
  },
  'pages of searches': (subject, turn) => {
    const { name } = nameAt(subject, turn);
    const searches = [
      name,
      `type:symbol+${name}`,
      `${encodeURIComponent(at(subject.titles, turn))}&mode=natural`,
      `type:commit+${name}`,
      `type:diff+${name}`,
    ];
    return page(`/search?q=${at(searches, turn)}`);
  },
  'pages of commits': ({ repo, commitCount }, turn) => {
    const far = Math.floor((turn * 37) % (commitCount - 1));
    const pages = [`commit/HEAD~${far}`, 'commits/', `compare/HEAD~${far + 1}...HEAD`, 'refs'];
    return page(`/${repo}/-/${at(pages, turn)}`);
  },
};
