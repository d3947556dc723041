import { SextantError, didYouMean } from '@sextant/core';
import type { Caller } from '@sextant/core';
import type { Repositories, ResearchTask } from '@sextant/contracts';
import type { ResearchThreads } from '../threads/research-threads.ts';

/** What a task is about, and where. */
export interface PlacedTask {
  readonly repositories: readonly string[];
  /** The task without the names of repositories. */
  readonly rest: string;
}

const mostRepositories = 3;
/** Words of a task that are compared with the names of repositories. */
const mostWords = 20;

/** The repositories of a task. Throws `not_found` for one that is unknown to the caller, `invalid_argument` where it names none. */
export async function placeTask(
  { repositories, threads }: { repositories: Repositories; threads: ResearchThreads },
  caller: Caller,
  { task: { task, repo }, signal }: { task: ResearchTask; signal: AbortSignal },
): Promise<PlacedTask> {
  if (task.trim() === '')
    throw new SextantError('invalid_argument', 'the task is empty; say what is to be found, and in which repository');
  const names = (await repositories.list(caller)).map(({ name }) => name);
  const named = await threads.repositoriesIn(task, names, { caller, signal });
  if (repo !== undefined) return { repositories: [repo], rest: named.known.includes(repo) ? named.rest : task };
  if (named.known.length > mostRepositories)
    throw new SextantError(
      'invalid_argument',
      `the task names ${named.known.length} repositories; name at most ${mostRepositories}, the one that it is about first`,
    );
  if (named.known.length > 0) return { repositories: named.known, rest: named.rest };
  const [unknown] = named.unknown;
  // Says the same of one that does not exist and of one that the caller may not read.
  if (unknown !== undefined) await repositories.open(caller, unknown);
  throw new SextantError('invalid_argument', noneNamed(task, names));
}

function noneNamed(task: string, names: readonly string[]): string {
  const words = task.slice(0, 2000).match(/[\w.-]+(?:\/[\w.-]+)*/g) ?? [];
  const near = [...new Set(words.filter((word) => word.length > 3))]
    .slice(0, mostWords)
    .map((word) => didYouMean(word, names))
    .find((hint) => hint !== '');
  const example = names[0] === undefined ? '' : ` ("In ${names[0]}: …")`;
  return `the task names no repository; begin it with one${example}.${near ?? ''} list_repos shows the names you can use; to look through all repositories use keyword_search.`;
}
