import { commitFormat, readPatches, rfc3339 } from '@sextant/contracts';
import type { LineChange, LineTrace, PatchSink, TraceRequest } from '@sextant/contracts';
import type { GitProgram } from '../process/git-process.ts';
import { lastLineOf, requireName } from '../objects/line-range.ts';
import { bigFileThreshold, diffOptions, mailmapSettings } from '../objects/patch-command.ts';
import type { TextReader } from '../objects/text-reader.ts';
import type { Location } from '../objects/tree-reader.ts';
import { PageBudget, PagePatches } from './page-patches.ts';

const maxLines = 1000;
const maxTitle = 1000;

type CommitRecord = Parameters<NonNullable<PatchSink['commit']>>[0];

/** Follows lines of a file through its history: `git log -L`. */
export class LineTracer {
  readonly #git: GitProgram;
  readonly #texts: TextReader;

  constructor(git: GitProgram, texts: TextReader) {
    this.#git = git;
    this.#texts = texts;
  }

  async trace(location: Location, range: Pick<TraceRequest, 'startLine' | 'endLine' | 'limit'>): Promise<LineTrace> {
    const { folder, commit, path, signal } = location;
    const { lineStarts } = await this.#texts.read(location);
    requireName(path);
    const last = lastLineOf(range, { inFile: lineStarts.length, most: maxLines });
    const settings = [...mailmapSettings(), ...bigFileThreshold, '-c', 'log.showSignature=false'];
    const options = ['--encoding=UTF-8', '--no-notes', '--no-decorate', '--src-prefix=a/', '--dst-prefix=b/'];
    const lines = `-L${range.startLine},${last}:${path}`;
    const args = [...settings, 'log', ...options, ...diffOptions, commitFormat, lines, commit, '--'];
    const changes = new TracedChanges(range.limit, folder.historyStart.commits);
    await readPatches(this.#git.stream({ gitFolder: folder.path, args, signal }), changes);
    return changes.trace();
  }
}

interface TracedChange {
  readonly record: CommitRecord;
  path: string;
  readonly patches: PagePatches;
}

/** Takes so many changes, and looks whether there is another. */
class TracedChanges implements PatchSink {
  readonly #limit: number;
  /** Commits whose parents are not here: git shows all that they have as new. */
  readonly #cut: ReadonlySet<string>;
  readonly #budget = new PageBudget();
  readonly #changes: TracedChange[] = [];

  constructor(limit: number, cut: ReadonlySet<string>) {
    this.#limit = limit;
    this.#cut = cut;
  }

  get isDone(): boolean {
    return this.#changes.length > this.#limit;
  }

  commit(record: CommitRecord): void {
    this.#changes.push({ record, path: '', patches: new PagePatches(this.#budget, false) });
  }

  file(path: string): void {
    this.#changes.at(-1)?.patches.file(path);
  }

  pathAfter(path: string): void {
    const change = this.#changes.at(-1);
    if (change) change.path = path;
  }

  hunk(path: string, header: string): void {
    this.#changes.at(-1)?.patches.hunk(path, header);
  }

  line(line: Buffer): void {
    this.#changes.at(-1)?.patches.line(line);
  }

  trace(): LineTrace {
    const shown = this.#changes.slice(0, this.#limit);
    const known = shown.filter(({ record }) => !this.#cut.has(record.hash));
    const changes = known.map(
      ({ record: { hash, author, authored, message }, path, patches }): LineChange => ({
        commit: hash,
        author: { ...author, date: rfc3339(authored) },
        title: (message.split('\n', 1)[0] ?? '').slice(0, maxTitle),
        path,
        hunks: [...patches.patches.values()].flatMap(({ hunks }) => hunks),
      }),
    );
    return { changes, hasMore: this.isDone, ...(known.length < shown.length && { isCut: true }) };
  }
}
