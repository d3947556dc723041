import { hasMoreLines, parseQuery } from '@sextant/contracts';
import type { FoundFile, Search, SearchRequest } from '@sextant/contracts';
import { queryIn } from './script-function.ts';
import type { Match, Matches, ScriptFunction } from './script-function.ts';

export interface TextSearchParts {
  readonly search: Search;
  /** Most matches of one search. */
  readonly most: number;
}

/** Everything that is found, as far as a search goes at all. */
const exhaustive: SearchRequest['limits'] = {
  files: 10_000,
  chunksPerFile: 2000,
  chunkCharacters: 10_000_000,
  lineCharacters: 1000,
  characters: 8_000_000,
};

/** `search.keyword` and `search.nls`. */
export const textSearch = (mode: SearchRequest['mode'], { search, most }: TextSearchParts): ScriptFunction => ({
  tool: mode === 'keyword' ? 'keyword_search' : 'nls_search',
  async run(argument, { caller, signal }): Promise<Matches> {
    const asked = parseQuery(queryIn(argument, 'search.keyword("parseConfig lang:go")'));
    const found = await search.find(caller, { ...asked, mode, limits: exhaustive }, signal);
    const matches = found.files.flatMap(matchesIn);
    return {
      matches: matches.slice(0, most),
      stats: {
        matchCount: found.matchCount,
        limitHit:
          found.limitHit || matches.length > most || found.files.some(hasMoreLines) || found.notSearched !== undefined,
        ...(found.notSearched && { notSearched: found.notSearched }),
      },
      ...(found.notes.length > 0 && { notes: found.notes }),
    };
  },
});

/** A file whose path alone matches is one match, in line 0. */
function matchesIn({ repo, path, revision, commit, matches }: FoundFile): Match[] {
  const place = { repo, path, rev: revision ?? commit };
  if (matches.length === 0) return [{ ...place, line: 0, text: '' }];
  return matches.map(({ line, text }) => ({ ...place, line, text }));
}
