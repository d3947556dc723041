import { forPeople, html, notice } from '@sextant/library-ui';
import type { Content } from '@sextant/library-ui';

/** What the results lack, or why. More than one sentence is folded where there are results: they come first. */
export function noteList(notes: readonly string[], hasResults: boolean): Content {
  const shown = notes.map(forPeople).filter((note) => note !== '');
  if (shown.length <= 1) return shown.map((note) => notice('info', note));
  return notice(
    'info',
    html`<details open=${!hasResults}>
      <summary>${shown.length} notes on these results</summary>
      <ul>${shown.map((note) => html`<li>${note}</li>`)}</ul>
    </details>`,
  );
}
