import { gitIn } from './commit-texts.ts';
import { escaped } from './expression-forms.ts';
import type { Oracle, Term } from './oracle.ts';

/** What `git grep` finds in a commit. */
export class GrepOracle implements Oracle {
  readonly paths: ReadonlySet<string>;
  readonly #repository: string;
  readonly #revision: string;

  /** Only in the files of `paths`. */
  constructor({ repository, revision }: { repository: string; revision: string }, paths: ReadonlySet<string>) {
    this.#repository = repository;
    this.#revision = revision;
    this.paths = paths;
  }

  linesWith(term: Term): Map<string, number> {
    const pattern = term.kind === 'literal' ? ['-F', '-e', term.text] : ['-P', '-e', term.pattern];
    const fold = term.isCaseSensitive ? [] : ['-i'];
    const output = gitIn(this.#repository, ['grep', '-a', '-z', '-c', ...fold, ...pattern, this.#revision]).toString();
    // Each is `revision:path`, NUL, count and a line end; a path may have line ends itself.
    const records = output.matchAll(/([^\0]+)\0(\d+)\n/g);
    const found = [...records].map(
      ([, place = '', count]) => [place.slice(this.#revision.length + 1), Number(count)] as const,
    );
    return new Map(found.filter(([path]) => this.paths.has(path)));
  }

  isPathWith(term: Term, path: string): boolean {
    const source = term.kind === 'literal' ? escaped(term.text) : term.pattern;
    return new RegExp(source, term.isCaseSensitive ? '' : 'i').test(path);
  }

  isNamed(filter: string, path: string): boolean {
    return new RegExp(filter, 'i').test(path);
  }
}
