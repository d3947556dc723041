import { executable, submodule, symlink } from './fast-import.ts';
import type { FileContent } from './fast-import.ts';
import { RepositoryBuilder } from './repository-builder.ts';
import type { OracleRandom } from './search-oracle.ts';

interface Person {
  name: string;
  email: string;
}

const words: [string, ...string[]] = [
  'parse',
  'config',
  'Error',
  'read',
  'flush',
  'cursor',
  'naïve',
  'x1',
  'return',
  '()',
  'TODO: fix',
  'größe',
];
const paths: [string, ...string[]] = [
  'src/parse.ts',
  'src/io/read.ts',
  'docs/guide.md',
  'README.md',
  'lib/[odd] name.c',
  'Makefile',
  'src/größe.txt',
];
const people: [Person, ...Person[]] = [
  { name: 'Ada Lovelace', email: 'ada@example.com' },
  { name: 'Grace', email: 'grace@old.example.com' },
  { name: 'Émile', email: 'emile@example.com' },
  { name: 'Linus (bot)', email: 'bot+linus@example.com' },
];
export const mailmap = 'Grace Hopper <grace@example.com> Grace <grace@old.example.com>\n';
export const firstDate = 1_700_000_000;

/** What random queries are made of. */
export const historyWords = words;
export const historyPaths: [string, ...string[]] = [
  'src',
  'src/',
  'docs/guide.md',
  '*.ts',
  'src/*/read.ts',
  'lib/[[]odd*',
  'M?kefile',
  'none',
];
export const historyAuthors: [string, ...string[]] = [
  'ada',
  'example.com',
  'Grace',
  'Hopper',
  'grace@old',
  'bot+',
  'nobody',
];

/**
 * A history with branches, merges (octopus and criss-cross too), several roots, empty commits, binary and odd files, changes of mode,
 * submodules and messages that are no UTF-8; every commit a minute after the one before.
 */
export function buildHistory(folder: string, random: OracleRandom, commits = 60): RepositoryBuilder {
  const builder = new RepositoryBuilder({ folder, isBare: true });
  const first = builder.commit({
    files: { '.mailmap': mailmap, 'README.md': '# Shop\n' },
    author: random.pick(people),
  });
  const tips = new Map([['main', first]]);
  for (let i = 0; i < commits; i += 1) {
    const branch = i % 9 === 4 ? `topic/${i}` : random.pick(['main', ...tips.keys()]);
    const isRoot = i % 27 === 4;
    const others = [...tips].filter(([tip]) => tip !== branch && i % 7 === 6 && random.below(5) < 2);
    const parents = isRoot ? [] : [tips.get(branch) ?? first, ...others.slice(0, 3).map(([, hash]) => hash)];
    const files = i % 13 === 12 ? {} : change(random, i);
    tips.set(
      branch,
      builder.commit({ branch, parents, author: random.pick(people), message: message(random, i), files }),
    );
  }
  builder.commit({ parents: [...tips.values()].slice(0, 5), message: 'merge what there is' });
  builder.commit({ files: change(random, 1), message: 'after all' });
  builder.tag({ name: 'v1', commit: 'main~1', message: 'one' });
  builder.tag({ name: 'v2', commit: 'main' });
  return builder;
}

function message(random: OracleRandom, i: number): string {
  const title = `${random.pick(words)} ${random.pick(words)} ${i}`;
  return random.below(5) < 2 ? `${title}\n\n${random.pick(words)} because of ${random.pick(words)}\n` : `${title}\n`;
}

function change(random: OracleRandom, i: number): Record<string, FileContent> {
  if (i % 17 === 5) return { 'logo.png': Buffer.from(`\0png ${i} parse`), 'run.sh': executable(`echo ${i}\n`) };
  if (i % 17 === 9)
    return { 'vendor/lib': submodule(i.toString(16).padStart(40, 'a')), [`link${i}`]: symlink('README.md') };
  if (i % 17 === 11) return { 'src/parse.ts': null };
  const count = 1 + random.below(3);
  return Object.fromEntries(Array.from({ length: count }, () => [random.pick(paths), text(random)]));
}

const text = (random: OracleRandom): string =>
  Array.from({ length: random.below(14) }, () => `${random.pick(words)} ${random.pick(words)}`).join('\n') +
  (random.below(10) < 7 ? '\n' : '');
