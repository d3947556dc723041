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
  fileName,
  fragmentResponse,
  html,
  htmlResponse,
  markedMarkup,
  noteList,
  tag,
} from '@sextant/library-ui';
import type { Content } from '@sextant/library-ui';
import { browseModule } from '../assets.ts';
import type { Source } from '../highlight/highlighter.ts';
import { languageOf } from '../highlight/languages.ts';
import { colouredPiece, wholeOf } from '../highlight/piece.ts';
import { isColouredPart } from '../render/diff.ts';
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
/** Files that are read whole for the colours of their pieces. */
const mostRead = 20;
/** Milliseconds that an answer waits for colours, and that a script waits for those that were late. */
const waitMs = { answer: 60, coloured: 3000 };

/** Where a name of a file is defined and used: a page, or the part of one that opens where the name stands. */
export async function showSymbol(visit: Visit): Promise<Response> {
  const { services, address, query } = visit;
  const { symbols } = services;
  if (!symbols) throw new SextantError('unavailable', 'code navigation is switched off on this server');
  if (query.has('outline')) return outlinePart(visit);
  const name = query.get('name') ?? '';
  if (query.get('part') === 'declaration') return showDeclaration(visit, symbols, name);
  const found = await find(visit, symbols, name);
  const body = about(visit, found, await codeIn(visit, found, wordOf(name)));
  if (isColouredPart(visit)) return fragmentResponse(body);
  if (isPanel(visit)) return fragmentResponse([panelBar(visit, name), body]);
  return htmlResponse({
    ...visit.frame,
    modules: [browseModule.path],
    title: `${name} · ${address.rest}`,
    body: html`${heading(visit, address.rest, { title: html`Definition and uses of <code>${name}</code>` })}
      ${body}`,
  });
}

/** Whether it is for a panel of another page. */
const isPanel = ({ query }: Visit): boolean => query.get('part') === '' || query.has('panel');

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
  const most = isPanel(visit) ? mostOfFileInPart : mostReferences;
  return {
    definition,
    references: { ...references, files: references.files.map((file) => firstUses(file, wordOf(name), most)) },
  };
}

/** The first uses of a file with their lines, and how many it has. */
function firstUses(file: SymbolFile, word: RegExp, most: number): SymbolFile {
  const all = file.places.length > 0 ? file.places : linesWith(file, word);
  const places = all.slice(0, most);
  const isShown = (line: number): boolean => places.some((place) => place.line === line);
  const chunks = file.chunks.filter(({ startLine, lines }) => lines.some((_, index) => isShown(startLine + index)));
  return { ...file, places, chunks, matchCount: all.length };
}

/** Where the text alone was looked at, a use is a line that has the name. */
function linesWith({ chunks }: SymbolFile, word: RegExp): readonly SymbolPlace[] {
  return chunks.flatMap(({ startLine, lines }) =>
    lines.flatMap((text, index) => (text.search(word) >= 0 ? [{ line: startLine + index, kind: 'other' }] : [])),
  );
}

/** The name as a word. */
const wordOf = (name: string): RegExp =>
  name === '' ? /(?!)/g : new RegExp(`(?<![\\p{L}\\p{N}_$])${escapeRegExp(name)}(?![\\p{L}\\p{N}_$])`, 'gu');

function reasonOf(error: unknown): string {
  if (isSextantError(error) && ['not_found', 'invalid_argument'].includes(error.code)) return error.message;
  throw error;
}

function about(visit: Visit, { definition, references }: Found, code: ShownCode): Content {
  if (typeof definition === 'string') return emptyState('Nothing is known of this name.', definition);
  const notes = [definition, references].flatMap((answer) => answer?.notes ?? []);
  return html`${noteList(notes, true)}
  <div class="definition-and-uses" data-coloured=${code.isLate ? againAt(visit) : undefined}>
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

/** The markup of the lines of each chunk, and whether some of its colours were not ready in time. */
interface ShownCode {
  readonly of: ReadonlyMap<Chunk, readonly string[]>;
  readonly isLate: boolean;
}

/** Where a script gets the same lines with the colours that were late, also from another page. */
function againAt(visit: Visit): string {
  const query = { ...Object.fromEntries(visit.query), part: 'coloured', ...(isPanel(visit) && { panel: '' }) };
  return linkTo(visit, 'symbol', { path: visit.address.rest, query });
}

async function codeIn(visit: Visit, { definition, references }: Found, word: RegExp): Promise<ShownCode> {
  const defined = typeof definition === 'string' ? [] : definition.files;
  const files = Object.values(
    Object.groupBy([...defined, ...(references?.files ?? [])], ({ repo, path }) => `${repo}\0${path}`),
  ).flatMap((one) => (one ? [one] : []));
  const shown = await Promise.all(files.map((one, index) => codeOf(visit, one, { word, isRead: index < mostRead })));
  return { of: new Map(shown.flatMap(({ of }) => [...of])), isLate: shown.some(({ isLate }) => isLate) };
}

/** The code of one file, which may be an answer twice: as what defines the name, and as what uses it. */
async function codeOf(
  visit: Visit,
  files: readonly SymbolFile[],
  { word, isRead }: { word: RegExp; isRead: boolean },
): Promise<ShownCode> {
  const chunks = files.flatMap((file) => file.chunks);
  const [{ path } = { path: '' }] = files;
  const whole = isRead ? wholeIn(visit, files, chunks) : Promise.resolve(undefined);
  const language = languageOf(path);
  const milliseconds = isColouredPart(visit) ? waitMs.coloured : waitMs.answer;
  const shown = await Promise.all(
    chunks.map(async (chunk) => {
      const { lines, startLine } = chunk;
      const piece = { language, lines, startLine, whole };
      const { markup, isComplete } = await colouredPiece(visit.services.highlighter, piece, milliseconds);
      const marked = markup.map((line, index) => markedMarkup(line, rangesOf(word, lines[index] ?? '')));
      return { chunk, marked, isComplete };
    }),
  );
  return {
    of: new Map(shown.map(({ chunk, marked }) => [chunk, marked])),
    isLate: shown.some(({ isComplete }) => !isComplete),
  };
}

const rangesOf = (word: RegExp, line: string): [start: number, end: number][] =>
  [...line.matchAll(word)].map(({ 0: { length }, index }) => [index, index + length]);

async function wholeIn(
  { services, call }: Visit,
  [file]: readonly SymbolFile[],
  chunks: readonly Chunk[],
): Promise<Source | undefined> {
  if (!file) return undefined;
  const { repo, path, revision } = file;
  const startLines = chunks.map(({ startLine }) => startLine);
  try {
    const repository = await services.repositories.open(call.caller, repo, { isNamed: false });
    const commit = await repository.resolve(revision, call.signal);
    return await wholeOf(repository, { commit, path, startLines }, call.signal);
  } catch {
    return undefined;
  }
}

function fileLine(visit: Visit, file: SymbolFile): Content {
  const place = file.repo === visit.address.repo ? undefined : file.repo;
  const label = place === undefined ? file.path : `${place} ${file.path}`;
  return html`<div class="panel-bar"><p><a class="file-name" href=${linkOf(visit, file)} aria-label=${label}>${fileName({ path: oneLine(file.path), place })}</a></p></div>`;
}

/** The lines of a file that use a name, each the way to it: many are taken in at a glance. */
function usesIn(visit: Visit, file: SymbolFile, code: ShownCode): Content {
  const lines = [...new Set(file.places.map(({ line }) => line))].flatMap((line) => {
    const chunk = file.chunks.find(({ startLine, lines: all }) => startLine <= line && line < startLine + all.length);
    const markup = chunk && code.of.get(chunk)?.[line - chunk.startLine];
    return markup === undefined ? [] : [{ line, markup: withoutIndent(markup) }];
  });
  const more = (file.matchCount ?? 0) - file.places.length;
  return html`<section class="panel uses" aria-label=${`Uses in ${file.path}`}>
    ${fileLine(visit, file)}
    <ul class="code">
      ${lines.map(({ line, markup }) => html`<li><a href=${linkOf(visit, file, line)}><b>${line}</b><code dangerouslySetInnerHTML=${{ __html: markup }}></code></a></li>`)}
      ${more > 0 && html`<li class="quiet"><a href=${linkOf(visit, file)}>and ${more.toLocaleString('en')} more in this file</a></li>`}
    </ul>
  </section>`;
}

/** The blanks that a line begins with may stand inside of an element. */
const withoutIndent = (markup: string): string => markup.replace(/^((?:<[^>]*>)*)\s+/, '$1');

const definedAt = (visit: Visit, file: SymbolFile, code: ShownCode): Content =>
  html`<section class="panel" aria-label=${`Definition in ${file.path}`}>
    ${fileLine(visit, file)}
    ${file.chunks.map((chunk) => html`<div class="code" role="group" aria-label=${`Lines of ${file.path}`} tabindex="0">${codeLines({ markup: code.of.get(chunk) ?? [], from: chunk.startLine, path: pageOf(visit, file), marked: markedIn(file, chunk.startLine, chunk.lines.length) })}</div>`)}
  </section>`;

/** The first line of a chunk that has the name. */
function markedIn({ places }: SymbolFile, from: number, length: number): readonly [number, number] | undefined {
  const line = places.find((place) => place.line >= from && place.line < from + length)?.line;
  return line === undefined ? undefined : [line, line];
}

const linkOf = (
  visit: Visit,
  file: SymbolFile,
  line = file.places[0]?.line ?? file.chunks[0]?.startLine ?? 1,
): string => pageOf(visit, file) + linesQuery(line);

/** In the same repository at the revision that is looked at, not at the hash of its commit. */
function pageOf({ services, address, query }: Visit, { repo, path, revision: answered }: SymbolFile): string {
  const revision = repo === address.repo ? (query.get('shown') ?? address.revision) : answered;
  const target = { repo, path, ...(revision !== undefined && revision !== '' && { revision }) };
  return new URL(services.links.file(target)).pathname;
}
