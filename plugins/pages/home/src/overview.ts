import type { CommitDetails, Repositories, Repository } from '@sextant/contracts';
import { escapeRegExp, isSextantError } from '@sextant/core';
import type { Caller } from '@sextant/core';
import { LRUCache } from 'lru-cache';

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
/** Descriptions by repository and commit, whose read-me never changes. Whoever gets one has opened the repository before. */
const described = new LRUCache<string, string>({ max: 10_000 });
/** What stands before a list, notes, and what is about the document. */
const introduces = /:$|^\W?(?:note|warning|important|see)\b|^this (?:readme|document|file|page)\b/i;
const isList = /^(?:[-+|•]|\d+\.)/;
/** Fewer letters are a badge or a link, and tell nothing. */
const fewestLetters = 20;

/** Undefined for one that is empty, gone or still cloned: the list is of use without it. */
export async function overviewOf(
  name: string,
  { repositories, caller, signal }: { repositories: Repositories; caller: Caller; signal: AbortSignal },
): Promise<Overview | undefined> {
  try {
    const repository = await repositories.open(caller, name, { isNamed: false });
    const commit = await repository.resolve(undefined, signal);
    const [newest, description] = await Promise.all([
      repository.readCommit(commit, signal),
      describedBy({ repository, name, commit }, signal),
    ]);
    return { description, newest };
  } catch (error) {
    if (isSextantError(error) || signal.aborted) return undefined;
    throw error;
  }
}

async function describedBy(
  { repository, name, commit }: { repository: Repository; name: string; commit: string },
  signal: AbortSignal,
): Promise<string> {
  const key = `${commit} ${name}`;
  const known = described.get(key);
  if (known !== undefined) return known;
  const { entries } = await repository.listTree({ commit, path: '', limit: mostEntries }, signal);
  const found = entries.find(({ path, kind }) => kind === 'file' && readme.test(path));
  const description = found ? descriptionIn((await repository.readText(commit, found.path, signal)).text, name) : '';
  described.set(key, description);
  return description;
}

/** What a read-me says that a repository is: the first paragraph like `Shop is a …`, else the first that has sentences. */
export function descriptionIn(document: string, repository: string): string {
  const paragraphs = plainParagraphs(document);
  const name = escapeRegExp(repository.slice(repository.lastIndexOf('/') + 1));
  const says = new RegExp(`^(?:the )?(?:[^\\s/]*/){0,4}${name}\\b[^.!?]*? (?:is|are|provides) (?:an?|the) `, 'i');
  const ofItself = paragraphs.find((text) => says.test(text));
  return shortened(withoutList(ofItself ?? paragraphs.find((text) => !introduces.test(text)) ?? ''));
}

/** A text without the clause that begins a list, which is not shown. */
const withoutList = (text: string): string => text.replace(/[,;] (?!and |or )[^,;.!?]*:$/, '.').replace(/\s*:$/, ' …');

// Repetitions have an end: a read-me may open brackets ten thousand times.
function plainParagraphs(document: string): string[] {
  const text = document.slice(0, 20_000).replaceAll(/<!--(?:.*?-->|.*)|```.*?```|<[^>]{0,1000}>/gs, ' ');
  return text.split(/\n\s*\n/).flatMap((paragraph) => {
    const plain = paragraph
      .replaceAll(/^\s*(?:#.*|[=~-]{3,}\s*|\.\. .*|\[[^\]]*\]:.*)$/gm, '')
      .replaceAll(/!\[[^\]]{0,500}\](?:\([^)]{0,1000}\)|\[[^\]]{0,500}\])?/g, '')
      .replaceAll(/\[([^\]]{0,500})\](?:\([^)]{0,1000}\)|\[[^\]]{0,500}\])/g, '$1')
      .replaceAll(/[*`]|__|^\s*>|(?<!\w)_(?=\S)|(?<=\S)_(?!\w)/gm, '')
      .replaceAll(/\s+/g, ' ')
      .trim();
    return !isList.test(plain) && (plain.match(/\p{L}/gu)?.length ?? 0) >= fewestLetters ? [plain] : [];
  });
}

/** Whole sentences as far as they fit, else the words that do. */
function shortened(text: string): string {
  if (text.length <= longest) return text;
  const sentences = /^.{40,}[.!?](?=\s)/s.exec(text.slice(0, longest + 1))?.[0];
  return sentences ?? `${text.slice(0, text.lastIndexOf(' ', longest - 2))} …`;
}
