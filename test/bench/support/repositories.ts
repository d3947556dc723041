import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';

export interface GeneratedRepository {
  folder: string;
  commits: number;
  files: number;
}

/** The file that every benchmark reads: 200 lines as long as real source lines are. */
export const sampleFile = Array.from(
  { length: 200 },
  (_, line) =>
    `  const value${line} = compute(input${line % 7}, ${line * 31});${line % 5 === 0 ? ' // as before' : ''}\n`,
).join('');

/** Writes a bare repository through `git fast-import`: the sample at `src/sample.ts` beside the other files. */
export async function generateRepository({ folder, commits, files }: GeneratedRepository): Promise<void> {
  execFileSync('git', ['init', '--quiet', '--bare', '--initial-branch=main', folder]);
  const git = spawn('git', ['-C', folder, 'fast-import', '--quiet'], { stdio: ['pipe', 'inherit', 'inherit'] });
  git.stdin.write(`blob\nmark :1\n${data(sampleFile)}`);
  for (let commit = 0; commit < commits; commit += 1) {
    const changes = commit === 0 ? firstTree(files) : `M 100644 inline src/counter.txt\n${data(`${commit}\n`)}`;
    const text = `commit refs/heads/main\ncommitter A <a@example.com> ${1_600_000_000 + commit} +0000\n${data(`change ${commit}\n`)}${changes}`;
    if (!git.stdin.write(`${text}\n`)) await once(git.stdin, 'drain');
  }
  git.stdin.end();
  const [code] = (await once(git, 'exit')) as [number];
  if (code !== 0) throw new Error(`git fast-import exited ${code}`);
  execFileSync('git', ['-C', folder, 'repack', '-adq']);
}

function firstTree(files: number): string {
  const paths = Array.from({ length: files - 1 }, (_, file) => `src/part${file % 400}/module${file}.ts`);
  return ['src/sample.ts', ...paths].map((path) => `M 100644 :1 ${path}\n`).join('');
}

const data = (text: string): string => `data ${Buffer.byteLength(text)}\n${text}\n`;
