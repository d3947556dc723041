import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Repositories of all levels so far, the smallest level first. */
export const levels = [10, 100, 1000, 10_000] as const;

/** A word that stands in nearly every file, one of every tenth file, and a name of one repository. */
export const words = { common: 'return', other: 'widget', nameIn: (index: number): string => `needleOf${index}x` };

const filesOfEach = 6;
const linesOfFile = 60;
const wordsOfLine = 6;
const vocabularySize = 20_000;

export interface Corpus {
  /** The folder of repositories that each level adds to those before it. */
  readonly folders: readonly string[];
  /** Where all of them keep their objects. */
  readonly store: string;
  /** Bytes of text of one repository, about. */
  readonly bytesOfEach: number;
}

/** Small repositories of text whose words are as frequent as those of real text are (Zipf). They share one store of objects. */
export async function makeCorpus(folder: string, most: number): Promise<Corpus> {
  const store = join(folder, 'store.git');
  execFileSync('git', ['init', '--quiet', '--bare', store]);
  const git = spawn('git', ['-C', store, 'fast-import', '--quiet'], { stdio: ['pipe', 'inherit', 'inherit'] });
  const text = textOf(numbers());
  let bytes = 0;
  for (let index = 0; index < most; index += 1) {
    const files = Array.from({ length: filesOfEach }, (_, file) => {
      const content = `${file === 0 ? `function ${words.nameIn(index)}() {}\n` : ''}${text()}`;
      bytes += content.length;
      return `M 100644 inline src/file${file}.js\n${data(content)}`;
    });
    const commit = `commit refs/heads/r${index}\ncommitter A <a@example.com> 1600000000 +0000\n${data('begin\n')}`;
    if (!git.stdin.write(`${commit}${files.join('')}\n`)) await once(git.stdin, 'drain');
  }
  git.stdin.end();
  const [code] = (await once(git, 'exit')) as [number];
  if (code !== 0) throw new Error(`git fast-import exited ${code}`);
  return { folders: placeRepositories(folder, store, most), store: join(store, 'objects'), bytesOfEach: bytes / most };
}

function placeRepositories(folder: string, store: string, most: number): string[] {
  const refs = execFileSync('git', ['-C', store, 'for-each-ref', '--format=%(refname:short) %(objectname)'], {
    encoding: 'utf8',
    maxBuffer: 1 << 28,
  });
  const tips = new Map(
    refs
      .split('\n')
      .map((line) => line.split(' '))
      .map(([name = '', id = '']) => [name, id]),
  );
  return levels
    .filter((level) => level <= most)
    .map((level, at) => {
      const group = join(folder, `up-to-${level}`);
      for (let index = levels[at - 1] ?? 0; index < level; index += 1) {
        const repository = join(group, `r${index}.git`);
        mkdirSync(join(repository, 'refs', 'heads'), { recursive: true });
        mkdirSync(join(repository, 'objects', 'info'), { recursive: true });
        writeFileSync(join(repository, 'HEAD'), 'ref: refs/heads/main\n');
        writeFileSync(join(repository, 'config'), '[core]\n\tbare = true\n\trepositoryformatversion = 0\n');
        writeFileSync(join(repository, 'refs', 'heads', 'main'), `${tips.get(`r${index}`) ?? ''}\n`);
        writeFileSync(join(repository, 'objects', 'info', 'alternates'), `${join(store, 'objects')}\n`);
      }
      return group;
    });
}

/** Each call makes the text of another file. */
function textOf(random: Iterator<number, never>): () => string {
  const next = (): number => random.next().value;
  const letters = (): string => String.fromCharCode(...Array.from({ length: 4 + next() * 7 }, () => 97 + next() * 26));
  const vocabulary = [words.common, ...Array.from({ length: vocabularySize }, letters)];
  const word = (): string => vocabulary[Math.floor(vocabularySize ** next()) - 1] ?? '';
  const line = (): string => Array.from({ length: wordsOfLine }, word).join(' ');
  return () => {
    const other = next() < 0.1 ? `${words.other}\n` : '';
    return `${other}${Array.from({ length: linesOfFile }, line).join('\n')}\n`;
  };
}

/** The same numbers in each run, between 0 and 1. */
function* numbers(): Generator<number, never> {
  let state = 1;
  for (;;) {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
    yield state / 0x80000000;
  }
}

const data = (text: string): string => `data ${Buffer.byteLength(text)}\n${text}\n`;
