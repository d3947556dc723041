import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';

const linesOfFile = 40;
const words = [
  'parse',
  'config',
  'error',
  'buffer',
  'return',
  'index',
  'cursor',
  'value',
  'stream',
  'commit',
  'lookup',
  'node',
];

/** A bare repository whose every commit changes three lines of one of its files; now and then one has a rare word. */
export async function generateHistory(folder: string, commits: number, files = 400): Promise<void> {
  execFileSync('git', ['init', '--quiet', '--bare', '--initial-branch=main', folder]);
  const git = spawn('git', ['-C', folder, 'fast-import', '--quiet'], { stdio: ['pipe', 'inherit', 'inherit'] });
  const random = randomNumbers();
  const tree = Array.from({ length: files }, () => Array.from({ length: linesOfFile }, () => line(random)));
  for (let commit = 0; commit < commits; commit += 1) {
    const file = random() % files;
    const content = tree[file] ?? [];
    for (let change = 0; change < 3; change += 1) content[random() % linesOfFile] = line(random);
    if (commit % 500 === 250) content[0] = `rare_${commit} = needle_in_history(${commit});`;
    const who = `Person ${commit % 97} <person${commit % 97}@example.com> ${1_400_000_000 + commit * 600} +0000`;
    const head = `commit refs/heads/main\nauthor ${who}\ncommitter ${who}\n${data(`${line(random)}\n\nchange ${commit}\n`)}`;
    const text = `${head}M 100644 inline src/part${file % 20}/file${file}.ts\n${data(`${content.join('\n')}\n`)}\n`;
    if (!git.stdin.write(text)) await once(git.stdin, 'drain');
  }
  git.stdin.end();
  const [code] = (await once(git, 'exit')) as [number];
  if (code !== 0) throw new Error(`git fast-import exited ${code}`);
}

const line = (random: () => number): string =>
  `  ${Array.from({ length: 6 }, () => words[random() % words.length]).join(' ')} ${random() % 100_000};`;

const data = (text: string): string => `data ${Buffer.byteLength(text)}\n${text}`;

/** The same history each time. */
function randomNumbers(): () => number {
  let state = 7;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state >>> 8;
  };
}
