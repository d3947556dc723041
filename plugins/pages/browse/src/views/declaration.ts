import type { OutlineEntry, SymbolFile, Symbols } from '@sextant/contracts';
import { isSextantError, oneLine } from '@sextant/core';
import { count, fragmentResponse, html } from '@sextant/library-ui';
import { commitOf, within } from '../visit.ts';
import type { Visit } from '../visit.ts';

/** Milliseconds that whoever points at a name waits for how it is declared; the place of it comes without. */
const waitMs = 400;

/** What stands beside a name that someone points at: how it is declared, what its comment says, and where. Empty where nothing is known. */
export async function showDeclaration(visit: Visit, symbols: Symbols, name: string): Promise<Response> {
  const { call, address, query } = visit;
  const line = /^[1-9]\d{0,8}$/.exec(query.get('at') ?? '')?.[0];
  const file = { repo: address.repo, path: address.rest, revision: await commitOf(visit) };
  const request = { ...file, symbol: name, ...(line !== undefined && { line: Number(line) }) };
  try {
    const { files, isByNameOnly, outside } = await symbols.findDefinition(call.caller, request, call.signal);
    const [defined, ...others] = files;
    // A line of text that has the name is no definition.
    if (!defined || outside || defined.places.length === 0)
      return fragmentResponse(
        outside?.module !== undefined && html`<p class="quiet">From ${oneLine(outside.module)}</p>`,
      );
    const entry = await within(waitMs, entryOf(visit, symbols, defined));
    return fragmentResponse(html`<div>
      ${entry && html`<code>${entry.signature}</code>`}
      ${entry?.docs !== undefined && html`<p>${entry.docs}</p>`}
      <p class="quiet">${defined.repo === address.repo ? '' : `${defined.repo}: `}${oneLine(defined.path)}${lineOf(defined)}${others.length > 0 ? `, or ${count(others.length, 'other')}` : isByNameOnly && ', by the name alone'}</p>
    </div>`);
  } catch (error) {
    if (isSextantError(error)) return fragmentResponse(undefined);
    throw error;
  }
}

async function entryOf(
  { call }: Visit,
  symbols: Symbols,
  { repo, path, revision, places: [place] }: SymbolFile,
): Promise<OutlineEntry | undefined> {
  if (!place) return undefined;
  const file = { repo, path, ...(revision !== undefined && { revision }) };
  const { definitions } = await symbols.outline(call.caller, file, call.signal);
  return definitions.find(({ line }) => line === place.line);
}

const lineOf = ({ places: [place] }: SymbolFile): string => (place ? `:${place.line}` : '');
