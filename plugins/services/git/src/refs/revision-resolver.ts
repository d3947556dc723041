import { SextantError, cut, didYouMean, fromOneLine } from '@sextant/core';
import { latelyUsed } from '../objects/lately-used.ts';
import type { ObjectReader } from '../objects/object-reader.ts';
import { signatureOf } from '../storage/file-signature.ts';
import { maxRevision } from '../storage/git-folder.ts';
import type { GitFolder } from '../storage/git-folder.ts';
import { olderMayBeMissing } from '../storage/shallow-file.ts';
import { HeadCommits } from './head-commits.ts';
import { filesOfRefs, isSymbolic } from './ref-files.ts';

export interface RevisionRequest {
  readonly folder: GitFolder;
  /** The folder's `cacheKey`, asked for once a call. */
  readonly key: string;
  /** HEAD when undefined. */
  readonly revision: string | undefined;
  readonly signal: AbortSignal;
  /** Names to suggest from; asked for only when nothing was found. */
  readonly namesToSuggest: () => Promise<readonly string[]>;
}

interface Remembered {
  readonly commit: string;
  /** The files that would change if the name meant another commit; none for a full hash. */
  readonly files: readonly string[];
  readonly signature: string;
  /** Of the repository: in another one a commit may have been pruned. */
  readonly state: number;
}

const maxRemembered = 20_000;
const fullHash = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/i;
const anyHash = /^[0-9a-f]{4,64}$/i;
const describedHash = /-g([0-9a-f]{4,64})$/i;

/**
 * Finds the commit that a revision names. It tries a full hash, HEAD, a full ref, a branch, a tag, an abbreviated hash,
 * and output of `git describe`; the first that exists wins. Results are cached while the refs stay the same.
 */
export class RevisionResolver {
  readonly #objects: ObjectReader;
  readonly #known = latelyUsed<Remembered>(maxRemembered);

  constructor(objects: ObjectReader) {
    this.#objects = objects;
  }

  /** Throws `invalid_argument` for what names no single commit, `not_found` for what names nothing. */
  async resolve(request: RevisionRequest): Promise<string> {
    const { folder, revision = 'HEAD' } = request;
    const key = request.key + revision;
    const known = this.#known.get(key);
    if (known && isUnchanged(known, folder)) return known.commit;
    const parsed = parseRevision(revision);
    const found = await folder.steadily(() => this.#find(request, parsed));
    if (found.isLasting) this.#known.set(key, found);
    return found.commit;
  }

  async #find(request: RevisionRequest, { base, steps }: Revision): Promise<Remembered & { isLasting: boolean }> {
    const { folder } = request;
    const { state } = folder;
    const refs = refsNamed(base);
    // Taken before git looks: a change in between makes it differ afterwards.
    const watched = withBranchOfHead(folder, refs);
    const files = filesOfRefs(folder, watched);
    const signature = signatureOf(files);
    const byRef = await this.#findRef(request, refs, steps);
    const commit = byRef ?? (await this.#findHash(request, base, steps));
    if (commit === undefined) throw await notFound(request, refs);
    if (byRef !== undefined) {
      const isLasting = signature.isSettled && !watched.some((ref) => isSymbolic(folder, ref));
      return { commit, files, signature: signature.text, state, isLasting };
    }
    return { commit, files: [], signature: '', state, isLasting: base.length === commit.length && fullHash.test(base) };
  }

  async #findRef(request: RevisionRequest, refs: readonly string[], steps: string): Promise<string | undefined> {
    for (const ref of refs) {
      const commit = await this.#commitOf(request, ref + steps);
      if (commit !== undefined) return commit;
      const { folder, signal } = request;
      const object = await this.#objects.info(folder, ref, signal);
      if (object !== undefined) throw noCommit(request, object === 'ambiguous' ? 'object' : object.type, steps);
    }
    return undefined;
  }

  async #findHash(request: RevisionRequest, base: string, steps: string): Promise<string | undefined> {
    const hash = (anyHash.test(base) ? base : describedHash.exec(base)?.[1])?.toLowerCase();
    if (hash === undefined) return undefined;
    const { folder, signal } = request;
    // With `^{commit}` git prefers commits among the objects that begin so.
    const commit = await this.#objects.info(folder, `${hash}^{commit}`, signal);
    const object = commit === undefined ? await this.#objects.info(folder, hash, signal) : commit;
    if (object === 'ambiguous')
      throw new SextantError(
        'invalid_argument',
        `revision "${request.revision}" is ambiguous: several objects begin with ${hash}; give more digits`,
      );
    if (object === undefined) return undefined;
    const found = await this.#commitOf(request, object.id + steps);
    if (found === undefined) throw noCommit(request, object.type, steps);
    return found;
  }

  async #commitOf({ folder, signal }: RevisionRequest, name: string): Promise<string | undefined> {
    const object = await this.#objects.info(folder, `${name}^{commit}`, signal);
    return object === undefined || object === 'ambiguous' ? undefined : object.id;
  }
}

const isUnchanged = ({ files, signature, state }: Remembered, folder: GitFolder): boolean =>
  files.length === 0 ? state === folder.state : signatureOf(files).text === signature;

/** The refs that a name may mean, the first that exists: a branch wins over a tag of the same name. */
function refsNamed(base: string): string[] {
  if (fullHash.test(base)) return [];
  if (base === 'HEAD' || base.startsWith('refs/')) return [base];
  return [`refs/heads/${base}`, `refs/tags/${base}`];
}

/** HEAD itself is watched anyway. */
function withBranchOfHead(folder: GitFolder, refs: readonly string[]): readonly string[] {
  const branch = refs[0] === 'HEAD' ? folder.headRef() : undefined;
  return branch === undefined ? refs.filter((ref) => ref !== 'HEAD') : [branch];
}

function noCommit({ revision = 'HEAD', folder }: RevisionRequest, type: string, steps: string): SextantError {
  if (type === 'commit' || (type === 'tag' && steps !== '')) {
    const text = `revision "${revision}" goes back further than the history does.`;
    return new SextantError('not_found', text + olderMayBeMissing(folder.historyStart));
  }
  return new SextantError('invalid_argument', `revision "${revision}" names a ${type}, not a commit`);
}

async function notFound(
  { revision, folder, namesToSuggest }: RevisionRequest,
  refs: readonly string[],
): Promise<SextantError> {
  if (refs[0] !== 'HEAD') {
    const hint = didYouMean(revision ?? '', await namesToSuggest());
    const head = folder.headBranch();
    const branch = head === undefined ? '' : ` The default branch is "${head}".`;
    return new SextantError(
      'not_found',
      `revision "${revision}" not found; list_refs shows the branches and tags.${branch}${hint}${olderMayBeMissing(folder.historyStart)}`,
    );
  }
  const branch = folder.headBranch();
  const lost = new HeadCommits().of(folder);
  if (lost !== undefined)
    throw new SextantError(
      'unavailable',
      `the repository lacks the commit ${lost} that its HEAD names; it is damaged or a partial clone`,
    );
  const [other] = await namesToSuggest();
  if (other === undefined) return new SextantError('not_found', 'the repository has no commits yet');
  return new SextantError(
    'not_found',
    `the default branch "${branch ?? 'HEAD'}" has no commits yet; list_refs shows the branches there are`,
  );
}

/** A revision, checked: a name and what follows it. */
export interface Revision {
  /** `HEAD`, a ref, a branch, a tag or a hash. */
  readonly base: string;
  /** Steps from there, such as `~5` or `^2`. */
  readonly steps: string;
}

const allowed =
  'give a branch, a tag, a commit hash (4 digits at least) or one of them followed by ~n or ^n, such as main~5';

/**
 * Throws `invalid_argument` for anything that could be an option, a range, a path, a search or several commits.
 * No name of a ref has a backslash: one that was read in a text, with escapes, means what they stand for.
 */
export function parseRevision(given: string): Revision {
  const text = fromOneLine(given);
  const problem = problemOf(text);
  if (problem !== undefined) throw new SextantError('invalid_argument', `revision ${problem}; ${allowed}`);
  const [, base = '', steps = ''] = /^([^~^]*)(.*)$/.exec(text) ?? [];
  if (!/^(?:~\d{0,7}|\^\d{0,3}|\^\{(?:commit)?\})*$/.test(steps))
    throw new SextantError('invalid_argument', `revision must not continue with "${cut(steps, 40)}"; ${allowed}`);
  return { base: base === '@' ? 'HEAD' : base, steps };
}

function problemOf(text: string): string | undefined {
  if (text === '') return 'is empty';
  if (text.length > maxRevision) return `is longer than ${maxRevision} characters`;
  if (text.startsWith('-')) return 'must not begin with "-"';
  if (/[\p{Cc} ]/u.test(text)) return 'must not contain spaces or control characters';
  if (text.includes('..')) return 'must name one commit, not a range ("..")';
  if (text.includes('@{')) return 'must not contain "@{"';
  const odd = /[:?*[\\]/.exec(text)?.[0];
  if (odd !== undefined) return `must not contain "${odd}"`;
  if (/^[~^/]/.test(text)) return `must not begin with "${text[0]}"`;
  return undefined;
}
