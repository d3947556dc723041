import { SextantError } from '@sextant/core';
import { codeMarkup } from '@sextant/library-ui';
import { sourceOf } from '../file-source.ts';
import { commitOf } from '../visit.ts';
import type { Visit } from '../visit.ts';

const mostLines = 2000;
const waitMs = 2000;

/** Some lines of a file as a part of its page: what a script loads while someone scrolls. */
export async function showLines(visit: Visit): Promise<Response> {
  const { repository, address, call, query, services } = visit;
  const [from, to] = [Number(query.get('from')), Number(query.get('to'))];
  if (!Number.isSafeInteger(from) || !Number.isSafeInteger(to) || from < 1 || to < from || to - from >= mostLines)
    throw new SextantError(
      'invalid_argument',
      `from and to are lines of the file, ${mostLines} at most: ?from=1&to=200`,
    );
  const commit = await commitOf(visit);
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
