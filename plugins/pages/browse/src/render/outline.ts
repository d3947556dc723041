import type { Outline, OutlineEntry } from '@sextant/contracts';
import { isSextantError } from '@sextant/core';
import { html } from '@sextant/library-ui';
import type { Content } from '@sextant/library-ui';
import { Remembered } from '../remembered.ts';
import { linkTo, within } from '../visit.ts';
import type { Visit } from '../visit.ts';

const mostEntries = 500;

/** What a file defines: `later` where that takes longer than was waited, `none` where nothing is known of it. */
export type KnownOutline = Outline | 'later' | 'none';

const known = new Remembered<Outline>(500);

/** Never fails: a page is not broken by what it can do without. */
export async function outlineOf(visit: Visit, commit: string, milliseconds: number): Promise<KnownOutline> {
  const { services, call, address, repository } = visit;
  if (!services.symbols) return 'none';
  const { symbols } = services;
  const file = { repo: address.repo, path: address.rest, revision: commit };
  const work = async (signal: AbortSignal): Promise<Outline | undefined> => {
    try {
      return await symbols.outline(call.caller, file, signal);
    } catch (error) {
      if (isSextantError(error)) return undefined;
      throw error;
    }
  };
  const outline = known.find([repository.info.name, commit, address.rest], work, ({ notes }) => !notes);
  const found = await within(
    milliseconds,
    outline.then((one) => one ?? 'none'),
  );
  if (found === undefined) return 'later';
  return found === 'none' || (found.definitions.length === 0 && !found.notes) ? 'none' : found;
}

/** The part beside the file: its outline, or the address where a script finds it. */
export function side(outline: KnownOutline, visit: Visit): Content {
  if (outline === 'none') return undefined;
  if (outline !== 'later') return outlineList(outline, visit);
  const path = linkTo(visit, 'symbol', { path: visit.address.rest, query: { outline: '' } });
  return html`<div data-outline=${path} hidden></div>`;
}

/** What a file defines, in its order; those that belong to a type are indented below it. */
export const outlineList = ({ definitions, limitHit, notes = [] }: Outline, visit: Visit): Content =>
  html`<details class="outline" open>
    <summary>Symbols</summary>
    ${notes.map((note) => html`<p class="quiet">${note}</p>`)}
    ${
      definitions.length > 0 &&
      html`<nav aria-label="Symbols of the file">
      <ul>
        ${definitions.slice(0, mostEntries).map((entry) => html`<li class=${entry.container === undefined ? undefined : 'inner'}>${link(entry, visit)}</li>`)}
      </ul>
    </nav>`
    }
    ${(limitHit || definitions.length > mostEntries) && html`<p class="quiet">Only the first ${mostEntries} are listed.</p>`}
    ${lookUp(visit)}
  </details>`;

const link = ({ name, kind, line, signature, docs }: OutlineEntry, visit: Visit): Content =>
  html`<a title=${[signature, docs].filter(Boolean).join('\n')} href=${`${linkTo(visit, 'blob', visit.address.rest)}?L${line}`} data-line=${line}><span class=${`kind ${kind}`} title=${kind}>${kind.slice(0, 1)}</span>${name}</a>`;

/** Definitions and uses of a name without a script; with one they open where the name stands. */
const lookUp = (visit: Visit): Content =>
  html`<form class="look-up" action=${linkTo(visit, 'symbol', visit.address.rest)}>
    <input name="name" required aria-label="Look up a name of this file" placeholder="Look up a name" autocapitalize="none" spellcheck="false" />
    <button class="button small" type="submit">Look up</button>
  </form>`;
