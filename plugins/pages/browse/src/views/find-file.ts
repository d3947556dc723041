import { literal, queryOf, repositoriesNamed } from '@sextant/contracts';
import type { Query } from '@sextant/contracts';
import { SextantError, escapeRegExp } from '@sextant/core';
import { linkTo } from '../visit.ts';
import type { Visit } from '../visit.ts';

const mostFiles = 20;
const longestText = 200;

/** Files that are looked at for the letters of a word, how much of their paths, and the words for which they are. */
const mostLoose = 500;
const endOfPath = 500;
const fewestLetters = 3;
const mostLetters = 32;

/**
 * Files whose paths have all words of `?q=`, at the revision that is looked at; where there are none, and the text is one
 * word, those that have its letters in order. Read by a script.
 */
export async function showFoundFiles(visit: Visit): Promise<Response> {
  const words = (visit.query.get('q') ?? '').slice(0, longestText).split(/\s+/).filter(Boolean);
  const [word = '', ...others] = words;
  const exact =
    words.length === 0
      ? []
      : await pathsWith(
          visit,
          words.map((one) => literal(one)),
          mostFiles,
        );
  const hasLetters = word.length >= fewestLetters && word.length <= mostLetters;
  const isLoose = exact.length === 0 && others.length === 0 && hasLetters;
  const paths = isLoose ? await pathsLike(visit, word) : exact;
  const files = paths.map((path) => ({ path, href: linkTo(visit, 'blob', path) }));
  return Response.json({ files }, { headers: { 'cache-control': 'no-store' } });
}

async function pathsWith({ services, address, call, repository }: Visit, parts: readonly Query[], most: number) {
  if (!services.search) throw new SextantError('unavailable', 'search is switched off on this server');
  const revision = address.revision === undefined ? [] : [{ kind: 'rev' as const, revisions: [address.revision] }];
  const limits = { files: most, chunksPerFile: 0, chunkCharacters: 0, lineCharacters: 0 };
  const query = queryOf([repositoriesNamed([repository.info.name]), ...revision, ...parts], { types: ['path'] });
  const { files } = await services.search.find(call.caller, { ...query, mode: 'keyword', limits }, call.signal);
  return files.map(({ path }) => path);
}

/** Those in which the letters are closest together come first. */
async function pathsLike(visit: Visit, word: string): Promise<string[]> {
  const pattern = [...word].map((letter) => escapeRegExp(letter)).join('.*');
  const found = await pathsWith(visit, [{ kind: 'file', pattern }], mostLoose);
  return found
    .map((path) => ({ path, span: shortestSpan(path.slice(-endOfPath).toLowerCase(), word.toLowerCase()) }))
    .toSorted((a, b) => a.span - b.span || a.path.length - b.path.length)
    .slice(0, mostFiles)
    .map(({ path }) => path);
}

/** Characters of a path from the first letter to the last, where they are closest together. Paths may be made to be slow. */
function shortestSpan(path: string, letters: string): number {
  // Of the letters up to each: where they begin, as late as they can.
  const starts: (number | undefined)[] = [];
  let shortest = path.length;
  for (let at = 0; at < path.length; at++)
    for (let letter = letters.length - 1; letter >= 0; letter--) {
      if (path[at] !== letters[letter]) continue;
      const start = letter === 0 ? at : starts[letter - 1];
      starts[letter] = start;
      if (letter === letters.length - 1 && start !== undefined) shortest = Math.min(shortest, at - start + 1);
    }
  return shortest;
}
