export interface SearchCase {
  readonly name: string;
  readonly query: string;
  /** The same for a grep; combinations have no counterpart. */
  readonly pattern?: string;
  readonly isFixed?: boolean;
  readonly isCaseSensitive?: boolean;
}

const word = (name: string, text: string): SearchCase => ({ name, query: `"${text}"`, pattern: text, isFixed: true });
const exact = (name: string, text: string): SearchCase => ({
  ...word(name, text),
  query: `"${text}" case:yes`,
  isCaseSensitive: true,
});
const regex = (name: string, pattern: string): SearchCase => ({
  name,
  query: `/${pattern}/ case:yes`,
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
  { name: 'AND', query: 'mutex deadlock' },
  { name: 'OR', query: 'deadlock OR kubeletconfig' },
  { name: 'AND NOT', query: 'deprecated -java' },
  { name: 'with lang:', query: 'parse lang:go' },
  { name: 'with file:', query: 'file:README install' },
  { name: 'paths', query: 'type:path server' },
];
