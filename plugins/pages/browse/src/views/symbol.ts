import { hash } from 'node:crypto';
import type {
  Chunk,
  Outside,
  Precision,
  ReferenceAnswer,
  SymbolAnswer,
  SymbolFile,
  SymbolPlace,
  Symbols,
} from '@sextant/contracts';
import { SextantError, escapeRegExp, isSextantError, oneLine } from '@sextant/core';
import {
  codeLines,
  count,
  emptyState,
  forPeople,
  fragmentResponse,
  html,
  htmlResponse,
  notice,
  tag,
} from '@sextant/library-ui';
import type { Content } from '@sextant/library-ui';
import { browseModule } from '../assets.ts';
import { sourceOfText } from '../file-source.ts';
import { languageOf } from '../highlight/languages.ts';
import { heading } from '../render/heading.ts';
import { outlineList, outlineOf } from '../render/outline.ts';
import { commitOf, linkTo, linesQuery } from '../visit.ts';
import type { Visit } from '../visit.ts';
import { showDeclaration } from './declaration.ts';

/** Uses that are looked at: enough that those in other repositories are among them. */
const mostReferences = 500;
/** Uses of one file that the part of a page shows. A page of their own shows all. */
const mostOfFileInPart = 5;
const outlineMs = 10_000;
/** Milliseconds that an answer waits for colours. */
const coloursMs = 60;

/** Where a name of a file is defined and used: a page, or the part of one that opens where the name stands. */
export async function showSymbol(visit: Visit): Promise<Response> {
  const { services, address, query } = visit;
  const { symbols } = services;
  if (!symbols) throw new SextantError('unavailable', 'code navigation is switched off on this server');
  if (query.has('outline')) return outlinePart(visit);
  const name = query.get('name') ?? '';
  if (query.get('part') === 'declaration') return showDeclaration(visit, symbols, name);
  const isPart = query.has('part');
  const found = await find(visit, symbols, name);
  const body = about(visit, found, await codeIn(visit, found));
  if (isPart) return fragmentResponse([panelBar(visit, name), body]);
  return htmlResponse({
    ...visit.frame,
    modules: [browseModule.path],
    title: `${name} · ${address.rest}`,
    body: html`${heading(visit, address.rest, { title: html`Definition and uses of <code>${name}</code>` })}
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

async function find(visit: Visit, symbols: Symbols, name: string): Promise<Found> {
  const { call, address, query } = visit;
  const line = /^[1-9]\d{0,8}$/.exec(query.get('at') ?? '')?.[0];
  const file = { repo: address.repo, path: address.rest, revision: await commitOf(visit) };
  const request = { ...file, symbol: name, ...(line !== undefined && { line: Number(line) }) };
  const [definition, references] = await Promise.all([
    symbols.findDefinition(call.caller, request, call.signal).catch(reasonOf),
    symbols.findReferences(call.caller, { ...request, limit: mostReferences }, call.signal).catch(reasonOf),
  ]);
  if (typeof references === 'string') return { definition, references: undefined };
  const most = query.has('part') ? mostOfFileInPart : mostReferences;
  return {
    definition,
    references: { ...references, files: references.files.map((file) => firstUses(file, name, most)) },
  };
}

/** The first uses of a file with their lines, and how many it has. */
function firstUses(file: SymbolFile, name: string, most: number): SymbolFile {
  const all = file.places.length > 0 ? file.places : linesWith(file, name);
  const places = all.slice(0, most);
  const isShown = (line: number): boolean => places.some((place) => place.line === line);
  const chunks = file.chunks.filter(({ startLine, lines }) => lines.some((_, index) => isShown(startLine + index)));
  return { ...file, places, chunks, matchCount: all.length };
}

/** Where the text alone was looked at, a use is a line that has the name. */
function linesWith({ chunks }: SymbolFile, name: string): readonly SymbolPlace[] {
  const word = new RegExp(`(?<![\\p{L}\\p{N}_$])${escapeRegExp(name)}(?![\\p{L}\\p{N}_$])`, 'u');
  return chunks.flatMap(({ startLine, lines }) =>
    lines.flatMap((text, index) => (word.test(text) ? [{ line: startLine + index, kind: 'other' }] : [])),
  );
}

function reasonOf(error: unknown): string {
  if (isSextantError(error) && ['not_found', 'invalid_argument'].includes(error.code)) return error.message;
  throw error;
}

function about(visit: Visit, { definition, references }: Found, code: ShownCode): Content {
  if (typeof definition === 'string') return emptyState('Nothing is known of this name.', definition);
  const notes = [definition, references].flatMap((answer) => answer?.notes ?? []).map(forPeople);
  return html`${[...new Set(notes)].filter(Boolean).map((note) => notice('info', note))}
  <div class="definition-and-uses">
    <section aria-label="Definition">${definition.outside ? outside(definition.outside) : definedIn(visit, definition, code)}</section>
    ${
      references &&
      html`<section aria-label="Uses">
        <h2>${count(references.totalCount, 'use')}${references.limitHit && ' or more'}</h2>
        ${usesByPlace(visit, references, code)}
      </section>`
    }
  </div>`;
}

const definedIn = (visit: Visit, { files, precision, isByNameOnly }: SymbolAnswer, code: ShownCode): Content =>
  html`<h2>${precision === 'text' ? 'Perhaps defined' : 'Defined'} ${precisionTag(precision)}</h2>
    ${precision === 'text' && html`<p class="quiet">No definition was found in the syntax of a file: these lines have the name.</p>`}
    ${isByNameOnly && html`<p class="quiet">Found by the name alone: it may be another of that name.</p>`}
    ${files.map((file) => definedAt(visit, file, code))}`;

/** The files of such an answer are uses, which stand beside it. */
const outside = ({ module }: Outside): Content =>
  html`<h2>Not defined here</h2>
    <p class="quiet">${module === undefined ? 'It belongs to the language or its platform.' : html`It comes from <code>${module}</code>, which no repository here has.`}</p>`;

/** Uses in tests stand apart: who changes a name looks at the others first. */
function usesByPlace(visit: Visit, { files }: ReferenceAnswer, code: ShownCode): Content {
  const groups = Map.groupBy(files, ({ repo, path }): string =>
    /(^|[/._-])(tests?|specs?|__tests__)([/._-]|$)/i.test(path)
      ? 'In tests'
      : repo === visit.address.repo
        ? 'In this repository'
        : 'In other repositories',
  );
  return ['In this repository', 'In other repositories', 'In tests'].map((title) => {
    const found = groups.get(title);
    return (
      found &&
      html`<h3>${title} <small class="quiet">${count(found.length, 'file')}</small></h3>${found.map((file) => usesIn(visit, file, code))}`
    );
  });
}

const precisionTag = (precision: Precision): Content =>
  html`<span title=${meanings[precision]}>${tag(precision)}</span>`;

const meanings: Readonly<Record<Precision, string>> = {
  precise: 'From an index that a compiler wrote',
  syntactic: 'From the syntax and the imports of the files',
  text: 'From the text of the files alone',
};

const panelBar = (visit: Visit, name: string): Content =>
  html`<div class="panel-bar">
    <h2 class="mono">${name}</h2>
    <a href=${linkTo(visit, 'symbol', { path: visit.address.rest, query: { name } })}>Open as a page</a>
    <button class="button small" type="button" data-close>Close</button>
  </div>`;

/** The markup of the lines of each chunk. */
type ShownCode = ReadonlyMap<Chunk, readonly string[]>;

async function codeIn({ services }: Visit, { definition, references }: Found): Promise<ShownCode> {
  const defined = typeof definition === 'string' ? [] : definition.files;
  const chunks = [...defined, ...(references?.files ?? [])].flatMap(({ path, chunks: all }) =>
    all.map((chunk) => [path, chunk] as const),
  );
  const shown = chunks.map(async ([path, chunk]) => {
    const text = chunk.lines.join('\n');
    const source = { ...sourceOfText(text, hash('sha256', text), languageOf(path)), lineCount: chunk.lines.length };
    const { markup } = await services.highlighter.lines(source, [0, chunk.lines.length], coloursMs);
    return [chunk, markup] as const;
  });
  return new Map(await Promise.all(shown));
}

const fileLine = (visit: Visit, file: SymbolFile): Content =>
  html`<p class="mono">${file.repo === visit.address.repo ? '' : `${file.repo}: `}<a href=${linkOf(visit, file)}>${oneLine(file.path)}</a></p>`;

/** The lines of a file that use a name, each the way to it: many are taken in at a glance. */
function usesIn(visit: Visit, file: SymbolFile, code: ShownCode): Content {
  const lines = [...new Set(file.places.map(({ line }) => line))].flatMap((line) => {
    const chunk = file.chunks.find(({ startLine, lines: all }) => startLine <= line && line < startLine + all.length);
    const markup = chunk && code.get(chunk)?.[line - chunk.startLine];
    return markup === undefined ? [] : [{ line, markup: markup.trimStart() }];
  });
  const more = (file.matchCount ?? 0) - file.places.length;
  return html`<section class="found uses">
    ${fileLine(visit, file)}
    <ul class="code">
      ${lines.map(({ line, markup }) => html`<li><a href=${linkOf(visit, file, line)}><b>${line}</b><code dangerouslySetInnerHTML=${{ __html: markup }}></code></a></li>`)}
      ${more > 0 && html`<li class="quiet"><a href=${linkOf(visit, file)}>and ${more.toLocaleString('en')} more in this file</a></li>`}
    </ul>
  </section>`;
}

const definedAt = (visit: Visit, file: SymbolFile, code: ShownCode): Content =>
  html`<section class="found">
    ${fileLine(visit, file)}
    ${file.chunks.map((chunk) => html`<div class="code" role="group" aria-label=${`Lines of ${file.path}`} tabindex="0">${codeLines({ markup: code.get(chunk) ?? [], from: chunk.startLine, marked: markedIn(file, chunk.startLine, chunk.lines.length) })}</div>`)}
  </section>`;

/** The first line of a chunk that has the name. */
function markedIn({ places }: SymbolFile, from: number, length: number): readonly [number, number] | undefined {
  const line = places.find((place) => place.line >= from && place.line < from + length)?.line;
  return line === undefined ? undefined : [line, line];
}

/** In the same repository at the revision that is looked at, not at the hash of its commit. */
function linkOf(visit: Visit, file: SymbolFile, line = file.places[0]?.line ?? file.chunks[0]?.startLine ?? 1): string {
  const { services, address, query } = visit;
  const { repo, path } = file;
  const revision = repo === address.repo ? (query.get('shown') ?? address.revision) : file.revision;
  const target = { repo, path, ...(revision !== undefined && revision !== '' && { revision }) };
  return new URL(services.links.file(target)).pathname + linesQuery(line);
}
