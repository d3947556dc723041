import { inTime, isSextantError } from '@sextant/core';
import { forPeople, html, notice } from '@sextant/library-ui';
import type { Content } from '@sextant/library-ui';
import type { Visit } from '../visit.ts';

/** Milliseconds that a page waits for its changes; late ones a script asks for, and without one the browser does. */
const waitForChangesMs = 150;

export const isChangesPart = ({ query }: Visit): boolean => query.get('part') === 'changes';

/** The part of a page that tells what changed, or what stands there until it is ready. */
export async function changesInTime(visit: Visit, show: (visit: Visit) => Promise<Content>): Promise<Content> {
  const sectionOf = async (given: Visit): Promise<Content> =>
    html`<section class="stack">${await show(given)}</section>`;
  if (isChangesPart(visit)) return sectionOf(visit).catch((error: unknown) => refused(error));
  if (visit.query.has('part') || !visit.headers.get('accept')?.includes('text/html')) return sectionOf(visit);
  const { call } = visit;
  const inSection = (signal: AbortSignal): Promise<Content> => sectionOf({ ...visit, call: { ...call, signal } });
  return (await inTime(waitForChangesMs, inSection, call.signal)) ?? later(visit);
}

function later({ query }: Visit): Content {
  const address = (part: string): string => `?${new URLSearchParams([...query, ['part', part]])}`;
  return html`<section class="stack" data-part=${address('changes')}>
    <p class="quiet" role="status">Comparing … <a href=${address('all')}>Wait for the whole page</a></p>
    <noscript><meta http-equiv="refresh" content=${`0; url=${address('all')}`} /></noscript>
  </section>`;
}

/** Of a part nobody sees the status. */
function refused(error: unknown): Content {
  if (!isSextantError(error)) throw error;
  return html`<section class="stack">${notice('danger', forPeople(error.message))}</section>`;
}
