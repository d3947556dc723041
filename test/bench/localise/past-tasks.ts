import { execFileSync } from 'node:child_process';

/** A past commit as a task: what its author was about to do, asked where they began. */
export interface PastTask {
  /** Full hashes of the commit and of its only parent. */
  readonly commit: string;
  readonly parent: string;
  /** Title and body. */
  readonly message: string;
  /** One to five source files that it changed and that were there before. */
  readonly files: readonly ChangedFile[];
}

export interface ChangedFile {
  readonly path: string;
  /** The lines that were replaced, in the parent's file; of an insertion the line before it. */
  readonly hunks: readonly LineSpan[];
}

export interface LineSpan {
  readonly start: number;
  readonly end: number;
}

/** Newest commits that are sampled from. */
const considered = 3000;
const mostFiles = 5;
const fewestWords = 3;
const source =
  /\.(c|cc|cpp|cxx|h|hh|hpp|hxx|cs|go|java|kt|js|jsx|mjs|cjs|ts|tsx|mts|vue|py|pyx|rb|rs|php|swift|scala|lua|ex|exs|m|mm|pl|pm|sh)$/;
const notSource =
  /(^|\/)(tests?|testing|test_?data|specs?|__tests__|__mocks__|fixtures|mocks?|e2e|bench(es|marks?)?|vendor|deps|third[-_]?party|node_modules|dist|docs?|docs_src|examples?|samples?)\/|[._-](test|tests|spec|bench|pb)\.|(^|\/)test_[^/]*$|Tests?\.[a-z]+$|_test\.[a-z]+$|(^|\/)[^/]*Tests?\//i;

/** Every so many of the newest commits that fit, so that the sample is the same each time. */
export function samplePastTasks(repository: string, count: number): PastTask[] {
  const git = (...args: string[]): string =>
    execFileSync('git', ['-C', repository, '-c', 'core.quotePath=false', ...args], {
      maxBuffer: 1 << 30,
      encoding: 'utf8',
    });
  const newest = ['log', '--no-merges', `--max-count=${considered}`, '--no-renames', '--name-status'];
  const fitting = fittingCommits(git(...newest, '--format=%x01%H %P%x02%B%x02'));
  const step = Math.max(1, Math.floor(fitting.length / count));
  const sampled = fitting.filter((_, index) => index % step === 0).slice(0, count);
  return sampled.map(({ paths, ...task }) => {
    const changed = (path: string): ChangedFile => ({
      path,
      hunks: hunksOf(git('diff', '-U0', '--no-renames', '--no-ext-diff', task.parent, task.commit, '--', path)),
    });
    return { ...task, files: paths.map(changed) };
  });
}

/** Those with one parent, words in their message, and few source files. */
function fittingCommits(log: string): (Omit<PastTask, 'files'> & { paths: string[] })[] {
  return log.split('\u0001').flatMap((entry) => {
    const [hashes = '', message = '', changes = ''] = entry.split('\u0002');
    const [commit = '', parent, ...others] = hashes.split(' ');
    const paths = sourcesOf(changes);
    const isTask = (message.match(/\p{L}{2,}/gu) ?? []).length >= fewestWords && !/^(merge|revert)\b/i.test(message);
    if (parent === undefined || others.length > 0 || !isTask) return [];
    return paths.length >= 1 && paths.length <= mostFiles ? [{ commit, parent, message: message.trim(), paths }] : [];
  });
}

/** Modified source files in the output of `--name-status`. */
function sourcesOf(changes: string): string[] {
  const modified = changes.split('\n').flatMap((line) => (line.startsWith('M\t') ? [line.slice(2)] : []));
  return modified.filter((path) => source.test(path) && !notSource.test(path));
}

function hunksOf(diff: string): LineSpan[] {
  return [...diff.matchAll(/^@@ -(\d+)(?:,(\d+))? /gm)].map(([, from = '1', length = '1']) => {
    const start = Math.max(1, Number(from));
    return { start, end: start + Math.max(1, Number(length)) - 1 };
  });
}
