import type { CommitDetails, Repositories, Repository } from '@sextant/contracts';
import { isSextantError } from '@sextant/core';
import type { Caller } from '@sextant/core';

/** What a repository is about, as far as it says it itself. */
export interface Overview {
  /** The beginning of its read-me; empty where that says nothing in plain words. */
  readonly description: string;
  /** The newest commit of its default branch. */
  readonly newest: CommitDetails;
}

const readme = /^readme(\.(md|markdown|rst|txt))?$/i;
const mostEntries = 2000;
const longest = 160;
/** Fewer letters are a badge or a link, and tell nothing. */
const fewestLetters = 20;

/** Undefined for one that is empty, gone or still cloned: the list is of use without it. */
export async function overviewOf(
  name: string,
  { repositories, caller, signal }: { repositories: Repositories; caller: Caller; signal: AbortSignal },
): Promise<Overview | undefined> {
  try {
    const repository = await repositories.open(caller, name);
    const commit = await repository.resolve(undefined, signal);
    const [newest, description] = await Promise.all([
      repository.readCommit(commit, signal),
      describedBy(repository, commit, signal),
    ]);
    return { description, newest };
  } catch (error) {
    if (isSextantError(error) || signal.aborted) return undefined;
    throw error;
  }
}

async function describedBy(repository: Repository, commit: string, signal: AbortSignal): Promise<string> {
  const { entries } = await repository.listTree({ commit, path: '', limit: mostEntries }, signal);
  const found = entries.find(({ path, kind }) => kind === 'file' && readme.test(path));
  return found ? firstWords((await repository.readText(commit, found.path, signal)).text) : '';
}

/** The first paragraph of a document that has sentences, as plain text. */
export function firstWords(document: string): string {
  const text = document.slice(0, 20_000).replaceAll(/<!--.*?-->|```.*?```|<[^>]*>/gs, ' ');
  for (const paragraph of text.split(/\n\s*\n/)) {
    const plain = paragraph
      .replaceAll(/^\s*(?:#.*|[=~-]{3,}\s*|\.\. .*|\[[^\]]*\]:.*)$/gm, '')
      .replaceAll(/!\[[^\]]*\](?:\([^)]*\)|\[[^\]]*\])?/g, '')
      .replaceAll(/\[([^\]]*)\](?:\([^)]*\)|\[[^\]]*\])/g, '$1')
      .replaceAll(/[*`]|__|^\s*>/gm, '')
      .replaceAll(/\s+/g, ' ')
      .trim();
    if (/^(?:[-+|•]|\d+\.)/.test(plain) || (plain.match(/\p{L}/gu)?.length ?? 0) < fewestLetters) continue;
    return shortened(plain);
  }
  return '';
}

/** Whole sentences as far as they fit, else the words that do. */
function shortened(text: string): string {
  if (text.length <= longest) return text;
  const sentences = /^.{40,}[.!?](?=\s)/s.exec(text.slice(0, longest + 1))?.[0];
  return sentences ?? `${text.slice(0, text.lastIndexOf(' ', longest - 2))} …`;
}
