import { describe, expect, test } from 'vitest';
import { exactScore, highestWordScore, inverseFrequency, wordScore } from './bm25.ts';
import { pathClass, pathClasses } from './path-class.ts';
import { pathPriors, priorsWithin, wantedClasses } from './path-prior.ts';
import { questionWords } from './question-words.ts';
import type { QuestionWord } from './question-words.ts';
import { classPriors } from './question-weights.ts';
import { identifierParts, searchedStem } from './words.ts';

const longest = 1024;
/** Without names of files that neighbouring words may make up. */
function queryWords(
  texts: readonly string[],
  phrases: readonly string[] = [],
  projects: ReadonlySet<string> = new Set(),
): QuestionWord[] {
  const { words } = questionWords({ texts, phrases, projects, longest });
  return words.filter(({ isOfPath }) => !isOfPath);
}

test.each([
  ['parseHTTPConfig_v2', ['parse', 'http', 'config', 'v2']],
  ['kebab-case.name', ['kebab', 'case', 'name']],
  ['ÜberGröße', ['über', 'größe']],
  ['plain', ['plain']],
])('the parts of %s', (word, parts) => expect(identifierParts(word)).toEqual(parts));

test.each([
  [['parse', 'parsed', 'parsing', 'parses'], 'pars'],
  [['retry', 'retries', 'retried'], 'retr'],
  [['configuration', 'configurations'], 'configur'],
  [['string'], 'string'],
  [['error', 'errors'], 'error'],
  [['cache', 'caches', 'cached', 'caching'], 'cach'],
  [['files'], 'file'],
  [['sha256'], 'sha256'],
])('the forms %j have one stem', (forms, expected) => {
  for (const form of forms) expect(searchedStem(form)).toBe(expected);
});

describe('the words of a question', () => {
  const prefixes = (text: string): string[] => queryWords([text]).map(({ prefix }) => prefix);

  test('are those that say something', () => {
    expect(prefixes('where are the retries of failed requests configured?')).toEqual([
      'where are the retries of failed requests configured',
      'retr',
      'fail',
      'request',
      'configur',
    ]);
  });

  test('are all of a message, too', () => {
    expect(queryWords(['No lease is left.'])[0]).toEqual({ prefix: 'no lease is left', weight: 5, isExact: true });
    expect(prefixes('lease is left')).toEqual(['leas', 'left']);
  });

  test.each([
    ['where does C++ code call Recognize?', 'where does'],
    ['how do I use the `Cart` of a shop', 'how do i use the'],
  ])('are not what a question says before a name: %s', (question, piece) => {
    expect(prefixes(question)).not.toContain(piece);
  });

  test('say less around a name where one of two words says nothing', () => {
    const weights = queryWords(['open `Cart` in shops, lost lease']).map(({ prefix, weight }) => [prefix, weight]);
    expect(weights).toEqual(
      expect.arrayContaining([
        ['in shops', 1],
        ['lost lease', 4],
      ]),
    );
  });

  test('say more the longer what stands between the values of a message is, from five words on', () => {
    const message = "LeaseError: no lease of this shop is left, 'Cart' is gone for good";
    const weights = queryWords([message]).map(({ prefix, weight }) => [prefix, weight]);
    expect(weights).toEqual(
      expect.arrayContaining([
        ['no lease of this shop is left', 14],
        ['is gone for good', 5],
      ]),
    );
  });

  test.each([
    ['正規表現でマッチする回数を指定するには', ['正規', '表現', 'マッチ', '回数', '指定']],
    ['如何关闭的鉴权', ['关闭', '鉴权']],
    ['nacos配置中心', ['nacos', '配置', '中心']],
  ])('are those of a text without spaces: %s', (text, words) => {
    expect(prefixes(text)).toEqual([text, ...words.map(searchedStem)]);
  });

  test('without spaces are all of them where there is nothing else', () => expect(prefixes('如何')).toEqual(['如何']));

  test('have identifiers as a whole and in parts', () => {
    expect(queryWords(['parseConfig'])).toEqual([
      { prefix: 'parseconfig', weight: 2, isExact: true },
      { prefix: 'pars', weight: 0.7, isExact: false },
      { prefix: 'config', weight: 0.7, isExact: false },
    ]);
  });

  test.each([
    ['what does this project do?', 'readme.'],
    ['what is etcd', 'readme.'],
    ['what does spring-framework do', 'spring-framework'],
    ['overview of the codebase', 'overview'],
    ['how do I build it', 'readme.'],
    ['how to install etcd from source', 'install'],
    ['how can I run the server locally', 'readme.'],
    ['installation instructions', 'install'],
    ['how do I run all the unit tests?', 'testing'],
    ["how to run etcd's tests", 'testing'],
    ['how can I contribute to etcd', 'contributing'],
    ['contribution guidelines', 'contributing'],
    ['security policy', 'security.'],
    ['how do I report a security issue', 'security.'],
    ['changelog', 'changelog'],
    ["what's new in the latest version", 'release_notes'],
    ['CI configuration', '.github/workflows/'],
    ['where are the continuous integration jobs of etcd', '.gitlab-ci.'],
    ['which libraries does etcd use', 'go.mod'],
    ['what are its dependencies?', 'package.json'],
  ])('are in a question about a project as a whole those of the file that says it: %s: %s', (question, prefix) => {
    const words = queryWords([question], [], new Set(['etcd', 'spring-framework'])).map((word) => word.prefix);
    expect(words).toContain(prefix);
  });

  test.each([
    'what does DefaultPromise do',
    'what is backpressure',
    'how to build a query',
    'how are servers started',
    'how do tests run in parallel',
    'which packages does the scheduler import',
    'what changed in the parser',
    'how is the security policy of a bucket checked',
    `how do I build it ${'now '.repeat(60)}`,
  ])('are those of the question where it is about something within a project: %s', (question) => {
    const prefixes = queryWords([question], [], new Set(['etcd'])).map(({ prefix }) => prefix);
    for (const name of ['readme.', 'changelog', 'security.', 'go.mod', 'testing']) expect(prefixes).not.toContain(name);
  });

  test('are joined to names that files may have: two or three neighbours that begin and end with a telling word', () => {
    const { words } = questionWords({ texts: ['how does the unit of work commit'], longest });
    expect(words.flatMap(({ prefix, isOfPath }) => (isOfPath ? [prefix] : []))).toEqual([
      'unitofwork',
      'unit_of_work',
      'workcommit',
      'work_commit',
    ]);
  });

  test('have of a type in the plural its singular, and less of what is written: the name may end so', () => {
    const weights = queryWords(['how are CartLines sorted']).flatMap(({ prefix, weight, isExact }) =>
      isExact ? [[prefix, weight]] : [],
    );
    expect(weights).toEqual(
      expect.arrayContaining([
        ['cartline', 2],
        ['cartlines', 0.5],
      ]),
    );
    for (const name of ['parseArgs', 'CartAddress'])
      expect(queryWords([name])[0]).toEqual({ prefix: name.toLowerCase(), weight: 2, isExact: true });
  });

  test('have of a qualified name also those that it is made of', () => {
    const names = (text: string): string[] => queryWords([text]).flatMap((word) => (word.isExact ? word.prefix : []));
    expect(names('QueueTask.canTake')).toEqual(['queuetask.cantake', 'queuetask', 'cantake']);
    expect(names('Queue$MaintainTask.run')).toEqual(['queue$maintaintask.run', 'maintaintask']);
  });

  test.each([
    ['why does /home/ada/shop/src/cart/parse.ts:2:7 fail', 'cart/parse.ts'],
    [String.raw`at Shop.Parse() in C:\shop\Cart\Parse.cs:line 7`, 'cart/parse.cs'],
    ['(cart/parse.test.ts:2)', 'cart/parse.test.ts'],
  ])('have the path in %s by its name with the folder before it', (text, name) => {
    expect(queryWords([text])).toContainEqual({ prefix: name, weight: 5, isExact: true });
  });

  test.each(['and/or', 'https://shop.example/', 'a.b.c/d', '/usr/bin'])('have no path in %s', (text) => {
    expect(prefixes(text).filter((prefix) => prefix.includes('/'))).toEqual([]);
  });

  test('have few paths of a long trace', () => {
    const trace = Array.from({ length: 30 }, (_, i) => `at src/cart${i}.ts:1`).join(' ');
    expect(prefixes(`Lease lost ${trace}`)).toEqual(expect.arrayContaining(['leas', 'src/cart3.ts']));
    expect(prefixes(`Lease lost ${trace}`)).not.toContain('src/cart4.ts');
  });

  test('are what is quoted, line by line, before its words, and every two of them as they stand there', () => {
    const words = queryWords(['E1: No Lease is left; try'], ['E1: No Lease is\nleft; try', 'try']);
    expect(words.map(({ prefix }) => prefix)).toEqual([
      'e1: no lease is',
      'left; try',
      'no lease is left',
      'e1',
      'no',
      'leas',
      'left',
      'try',
      'e1: no',
      'no lease',
      'lease is',
    ]);
    expect(words.filter(({ isExact }) => isExact).map(({ weight }) => weight)).toEqual([5, 5, 5, 1, 1, 1]);
  });

  test('are all of them where there is nothing else', () => {
    expect(prefixes('what are these')).toEqual(['what', 'are', 'these']);
    expect(prefixes('how do I use it?')).toEqual(['how do i use it', 'how', 'do', 'i', 'use', 'it']);
    expect(prefixes('?!')).toEqual([]);
  });

  test('are not longer than what can be looked for', () => {
    const log = Array.from({ length: 300 }, () => 'lease').join(' ');
    expect(prefixes(`${log}: no lease is left; ${'x'.repeat(1025)}`)).toEqual([
      'no lease is left',
      'leas',
      'no',
      'left',
    ]);
  });

  test('are at most so many', () => {
    expect(prefixes(Array.from({ length: 100 }, (_, i) => `word${i}`).join(' '))).toHaveLength(24);
  });
});

describe('BM25F', () => {
  test('a name counts more than a folder, a folder more than a word of the text', () => {
    const scores = [
      { name: 1, folder: 0, body: 0 },
      { name: 0, folder: 1, body: 0 },
      { name: 0, folder: 0, body: 1 },
    ].map((counts) => wordScore(counts, 1));
    expect(scores).toEqual(scores.toSorted((a, b) => b - a));
  });

  test('more of a word counts more, but less and less; in a long text it counts less', () => {
    const of = (body: number, length = 1): number => wordScore({ name: 0, folder: 0, body }, length);
    expect(of(2)).toBeGreaterThan(of(1));
    expect(of(2) - of(1)).toBeGreaterThan(of(9) - of(8));
    expect(of(2, 3)).toBeLessThan(of(2, 1));
  });

  test('what is looked for exactly counts most of what it can where it stands a few times', () => {
    const of = (body: number, isExact: boolean): number =>
      isExact ? exactScore({ name: 0, folder: 0, body }) : wordScore({ name: 0, folder: 0, body }, 1);
    expect(of(2, true) / of(50, true)).toBeGreaterThan(0.6);
    expect(of(2, false) / of(50, false)).toBeLessThan(0.3);
    expect(of(1000, true)).toBeLessThan(highestWordScore);
  });

  test('a rare word counts more than a common one', () => {
    expect(inverseFrequency(1000, 2)).toBeGreaterThan(inverseFrequency(1000, 500));
    expect(inverseFrequency(10, 10)).toBeGreaterThan(0);
  });

  test('tests are worth less than source, unless they are asked for', () => {
    const priorOf = (path: string, words: string[]): number | undefined =>
      pathPriors(wantedClasses(words.join(' ')))[pathClasses.indexOf(pathClass(path))];
    expect(priorOf('src/a.test.ts', [])).toBeLessThan(priorOf('src/a.ts', []) ?? 0);
    expect(priorOf('src/a.test.ts', ['test'])).toBe(priorOf('src/a.ts', []));
    expect(priorOf('bench/a.ts', ['benchmark'])).toBe(priorOf('src/a.ts', []));
  });

  test.each([
    [['a.yaml', 'b.yaml', 'c.yaml', 'd.py', 'a.test.ts', 'b.test.ts'], 'e.yaml', 1],
    [['a.yaml', 'b.yaml', 'c.py', 'd.py'], 'e.yaml', classPriors.configuration],
    [['examples/a.c', 'examples/b.c', 'examples/c.c', 'examples/d.c'], 'examples/e.c', classPriors.example],
  ])('what a repository is made of is its source: in %j %s is worth %d', (paths, path, expected) => {
    const classOf = (each: string): number => pathClasses.indexOf(pathClass(each));
    const priors = priorsWithin(pathPriors(new Set()), Uint8Array.from(paths, classOf));
    expect(priors[classOf(path)]).toBe(expected);
  });
});
