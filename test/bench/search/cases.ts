export interface SearchCase {
  readonly name: string;
  readonly query: string;
  /** The same in zoekt's language. */
  readonly zoekt: string;
  /** The same for a grep; combinations have no counterpart. */
  readonly pattern?: string;
  readonly isFixed?: boolean;
  readonly isCaseSensitive?: boolean;
}

/** In zoekt's quotes a backslash is written twice. */
const quoted = (pattern: string): string => `"${pattern.replaceAll('\\', '\\\\')}"`;
const escaped = (text: string): string => quoted(text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));

const word = (name: string, text: string): SearchCase => ({
  name,
  query: `"${text}"`,
  zoekt: `${escaped(text)} case:no`,
  pattern: text,
  isFixed: true,
});
const exact = (name: string, text: string): SearchCase => ({
  ...word(name, text),
  query: `"${text}" case:yes`,
  zoekt: `${escaped(text)} case:yes`,
  isCaseSensitive: true,
});
const regex = (name: string, pattern: string): SearchCase => ({
  name,
  query: `/${pattern}/ case:yes`,
  zoekt: `${quoted(pattern)} case:yes`,
  pattern,
  isCaseSensitive: true,
});

/** What people and agents search for: rare and common, short and long, with and without something to look up. */
export const cases: readonly SearchCase[] = [
  word('rare identifier', 'newWatchableStore'),
  exact('rare identifier, exact case', 'newWatchableStore'),
  word('absent', 'zzqqxx_nope_yy'),
  word('absent, common trigrams', 'errorcontextreturn'),
  word('phrase', 'failed to parse the'),
  word('two letters', 'qz'),
  exact('punctuation', '!= nil {'),
  word('common word', 'error'),
  regex('regex with a literal', 'func \\w+Handler\\('),
  regex('regex, alternation', '(Session|Widget)Factory\\b'),
  regex('regex without a literal', '[A-Z]{4,}_[a-z]{3,}[0-9]'),
  { name: 'AND', query: 'mutex deadlock', zoekt: 'mutex deadlock case:no' },
  { name: 'OR', query: 'deadlock OR kubeletconfig', zoekt: '(deadlock or kubeletconfig) case:no' },
  { name: 'AND NOT', query: 'deprecated -java', zoekt: 'deprecated -java case:no' },
  { name: 'with lang:', query: 'parse lang:go', zoekt: 'parse lang:go case:no' },
  { name: 'with file:', query: 'file:README install', zoekt: 'file:README install case:no' },
  { name: 'paths', query: 'type:path server', zoekt: 'type:filename file:server case:no' },
];
