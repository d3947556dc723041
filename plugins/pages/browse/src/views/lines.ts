import type { TextFile } from '@sextant/contracts';
import { SextantError, escapeRegExp } from '@sextant/core';
import { codeMarkup } from '@sextant/library-ui';
import { sourceOf } from '../file-source.ts';
import { commitOf } from '../visit.ts';
import type { Visit } from '../visit.ts';

const mostLines = 2000;
const waitMs = 2000;
const mostPlaces = 2000;
const longestText = 200;

/** Some lines of a file as a part of its page: what a script loads while someone scrolls. With `?find=` where a text stands. */
export async function showLines(visit: Visit): Promise<Response> {
  const { repository, address, call, query, services } = visit;
  const text = query.get('find');
  const commit = await commitOf(visit);
  if (text !== null) return found(await repository.readText(commit, address.rest, call.signal), text);
  const [from, to] = [Number(query.get('from')), Number(query.get('to'))];
  if (!Number.isSafeInteger(from) || !Number.isSafeInteger(to) || from < 1 || to < from || to - from >= mostLines)
    throw new SextantError(
      'invalid_argument',
      `from and to are lines of the file, ${mostLines} at most: ?from=1&to=200`,
    );
  const { id } = await repository.find(commit, address.rest, call.signal);
  const source = sourceOf(await repository.readText(commit, address.rest, call.signal), id, address.rest);
  const { markup, isComplete } = await services.highlighter.lines(source, [from - 1, to], waitMs);
  const body = codeMarkup({ markup, from, path: '' });
  return new Response(body, {
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
      'x-complete': String(isComplete),
    },
  });
}

/** Places as `[line, column from 0, length]`. Case counts where the text has capitals. */
function found({ text, lineStarts }: TextFile, wanted: string): Response {
  const part = wanted.slice(0, longestText);
  const pattern = new RegExp(escapeRegExp(part), part === part.toLowerCase() ? 'gi' : 'g');
  const places: (readonly [line: number, column: number, length: number])[] = [];
  let line = 0;
  for (const match of part === '' ? [] : text.matchAll(pattern)) {
    if (places.length > mostPlaces) break;
    while ((lineStarts[line + 1] ?? Infinity) <= match.index) line += 1;
    places.push([line + 1, match.index - (lineStarts[line] ?? 0), match[0].length]);
  }
  const answer = { places: places.slice(0, mostPlaces), hasMore: places.length > mostPlaces };
  return Response.json(answer, { headers: { 'cache-control': 'no-store' } });
}
