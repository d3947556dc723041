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
/** An expression that only matches the text. */
export const literally = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
const escaped = (text: string): string => quoted(literally(text));

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
const anyCase = (name: string, pattern: string): SearchCase => ({
  name,
  query: `/${pattern}/`,
  zoekt: `${quoted(pattern)} case:no`,
  pattern,
});
const regex = (name: string, pattern: string): SearchCase => ({
  ...anyCase(name, pattern),
  query: `/${pattern}/ case:yes`,
  zoekt: `${quoted(pattern)} case:yes`,
  isCaseSensitive: true,
});

/** What people and agents search for: rare and common, short and long, with and without something to look up. */
const all: readonly SearchCase[] = [
  word('rare identifier', 'newWatchableStore'),
  exact('rare identifier, exact case', 'newWatchableStore'),
  exact('identifier', 'NewDefaultRESTMapper'),
  word('identifier, any case', 'httpclient'),
  word('absent', 'zzqqxx_nope_yy'),
  word('absent, common trigrams', 'errorcontextreturn'),
  word('phrase', 'failed to parse the'),
  word('rare phrase', 'deadlock detected'),
  exact('sentence of a licence', 'The above copyright notice and this permission notice shall be included'),
  word('two letters', 'qz'),
  exact('three letters, rare', 'qsz'),
  exact('three letters, common', 'xml'),
  exact('punctuation', '!= nil {'),
  word('common word', 'error'),
  exact('common word, exact case', 'error'),
  regex('regex with a literal', 'func \\w+Handler\\('),
  regex('regex, rest of a line', 'TODO\\(.*\\):'),
  regex('regex, spaces', 'err(or)?[\\t ]*:=[\\t ]*json\\.'),
  anyCase('regex, any case', 'unable to (open|read) .*file'),
  regex('regex, alternation', '(Session|Widget)Factory\\b'),
  regex('regex without a literal', '[A-Z]{4,}_[a-z]{3,}[0-9]'),
  { name: 'AND', query: 'mutex deadlock', zoekt: 'mutex deadlock case:no' },
  { name: 'OR', query: 'deadlock OR kubeletconfig', zoekt: '(deadlock or kubeletconfig) case:no' },
  { name: 'AND NOT', query: 'deprecated -java', zoekt: 'deprecated -java case:no' },
  { name: 'with lang:', query: 'parse lang:go', zoekt: 'parse lang:go case:no' },
  { name: 'with file:', query: 'file:README install', zoekt: 'file:README install case:no' },
  {
    name: 'call in Go files',
    query: '"context.Background()" file:\\.go$ case:yes',
    zoekt: `${escaped('context.Background()')} file:${quoted('\\.go$')} case:yes`,
  },
  { name: 'one repository', query: 'strbuf_addf repo:^git$ case:yes', zoekt: 'strbuf_addf repo:^git$ case:yes' },
  { name: 'paths', query: 'type:path server', zoekt: 'type:filename file:server case:no' },
];

const chosen = new RegExp(process.env['CASES'] ?? '');
export const cases = all.filter(({ name }) => chosen.test(name));
