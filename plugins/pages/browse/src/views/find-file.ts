import { literal, queryOf, repositoriesNamed } from '@sextant/contracts';
import { SextantError } from '@sextant/core';
import { linkTo } from '../visit.ts';
import type { Visit } from '../visit.ts';

const mostFiles = 20;
const longestText = 200;

/** Files whose paths have all words of `?q=`, at the revision that is looked at. Read by a script. */
export async function showFoundFiles(visit: Visit): Promise<Response> {
  const { services, address, query, call, repository } = visit;
  if (!services.search) throw new SextantError('unavailable', 'search is switched off on this server');
  const words = (query.get('q') ?? '').slice(0, longestText).split(/\s+/).filter(Boolean);
  const revision = address.revision === undefined ? [] : [{ kind: 'rev' as const, revisions: [address.revision] }];
  const parts = [repositoriesNamed([repository.info.name]), ...revision, ...words.map((word) => literal(word))];
  const limits = { files: mostFiles, chunksPerFile: 0, chunkCharacters: 0, lineCharacters: 0 };
  const request = { ...queryOf(parts, { types: ['path'] }), mode: 'keyword' as const, limits };
  const { files } = words.length === 0 ? { files: [] } : await services.search.find(call.caller, request, call.signal);
  const found = files.map(({ path }) => ({ path, href: linkTo(visit, 'blob', path) }));
  return Response.json({ files: found }, { headers: { 'cache-control': 'no-store' } });
}
