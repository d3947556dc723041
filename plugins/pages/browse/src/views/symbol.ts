import type { ReferenceAnswer, SymbolAnswer, SymbolFile, Symbols } from '@sextant/contracts';
import { SextantError, isSextantError, oneLine } from '@sextant/core';
import {
  codeLines,
  count,
  emptyState,
  fragmentResponse,
  html,
  htmlResponse,
  plainLine,
  tag,
} from '@sextant/library-ui';
import type { Content } from '@sextant/library-ui';
import { heading } from '../render/heading.ts';
import { outlineList, outlineOf } from '../render/outline.ts';
import { commitOf, linkTo, linesQuery } from '../visit.ts';
import type { Visit } from '../visit.ts';

const mostReferences = 30;
const fewReferences = 5;
const outlineMs = 10_000;

/** Where a name of a file is defined and used: a page, or the part of one that opens where the name stands. */
export async function showSymbol(visit: Visit): Promise<Response> {
  const { services, address, query } = visit;
  const { symbols } = services;
  if (!symbols) throw new SextantError('unavailable', 'code navigation is switched off on this server');
  if (query.has('outline')) return outlinePart(visit);
  const name = query.get('name') ?? '';
  const isPart = query.has('part');
  const found = await find(visit, symbols, { name, limit: isPart ? fewReferences : mostReferences });
  const body = isPart ? [about(visit, found, 1), more(visit, name)] : about(visit, found, undefined);
  if (isPart) return fragmentResponse(body);
  return htmlResponse({
    ...visit.frame,
    title: `${name} · ${address.rest}`,
    body: html`${heading(visit, address.rest)}
      <h2>Definition and uses of <code>${name}</code></h2>
      ${body}`,
  });
}

/** What a page did not wait for. */
async function outlinePart(visit: Visit): Promise<Response> {
  const outline = await outlineOf(visit, await commitOf(visit), outlineMs);
  return fragmentResponse(typeof outline === 'string' ? undefined : outlineList(outline, visit));
}

interface Found {
  /** Or why there is none. */
  readonly definition: SymbolAnswer | string;
  readonly references: ReferenceAnswer | undefined;
}

async function find(visit: Visit, symbols: Symbols, { name, limit }: { name: string; limit: number }): Promise<Found> {
  const { call, address } = visit;
  const request = { repo: address.repo, path: address.rest, symbol: name, revision: await commitOf(visit) };
  const [definition, references] = await Promise.all([
    symbols.findDefinition(call.caller, request, call.signal).catch(reasonOf),
    symbols.findReferences(call.caller, { ...request, limit }, call.signal).catch(reasonOf),
  ]);
  return { definition, references: typeof references === 'string' ? undefined : references };
}

function reasonOf(error: unknown): string {
  if (isSextantError(error) && ['not_found', 'invalid_argument'].includes(error.code)) return error.message;
  throw error;
}

function about(visit: Visit, { definition, references }: Found, mostFiles: number | undefined): Content {
  if (typeof definition === 'string') return emptyState('Nothing is known of this name.', definition);
  return [
    html`<h3>Defined ${tag(definition.precision)}</h3>`,
    definition.files.slice(0, mostFiles).map((file) => place(visit, file)),
    references &&
      html`<h3>${count(references.totalCount, 'use')}${references.limitHit && ' or more'}</h3>
        ${references.files.slice(0, mostFiles && fewReferences).map((file) => place(visit, file))}`,
  ];
}

const more = (visit: Visit, name: string): Content =>
  html`<p><a href=${linkTo(visit, 'symbol', { path: visit.address.rest, query: { name } })}>All that is known of ${name}</a></p>`;

const place = (visit: Visit, file: SymbolFile): Content =>
  html`<section class="found">
    <p class="mono">${file.repo === visit.address.repo ? '' : `${file.repo}: `}<a href=${linkOf(visit, file)}>${oneLine(file.path)}</a></p>
    ${file.chunks.map(({ startLine, lines }) => codeLines({ markup: lines.map(plainLine), from: startLine, marked: markedIn(file, startLine, lines.length) }))}
  </section>`;

/** The first line of a chunk that has the name. */
function markedIn({ places }: SymbolFile, from: number, length: number): readonly [number, number] | undefined {
  const line = places.find((place) => place.line >= from && place.line < from + length)?.line;
  return line === undefined ? undefined : [line, line];
}

function linkOf({ services }: Visit, { repo, path, revision, places, chunks }: SymbolFile): string {
  const target = { repo, path, ...(revision !== undefined && { revision }) };
  const line = places[0]?.line ?? chunks[0]?.startLine ?? 1;
  return new URL(services.links.file(target)).pathname + linesQuery(line);
}
