import { html, notice } from '@sextant/library-ui';
import type { Content } from '@sextant/library-ui';

/** A sentence for agents: it begins with the name of a tool. */
const aboutTools = /(?:^|\s+)[a-z]+(?:_[a-z]+)+ (?:shows|finds|lists) [^.]*\./g;

/** What the results lack, or why. More than one sentence is folded: results come first. */
export function noteList(notes: readonly string[]): Content {
  const forPeople = notes.map((note) => note.replaceAll(aboutTools, '').trim()).filter((note) => note !== '');
  if (forPeople.length <= 1) return forPeople.map((note) => notice('info', note));
  return notice(
    'info',
    html`<details>
      <summary>${forPeople.length} notes on these results</summary>
      <ul>${forPeople.map((note) => html`<li>${note}</li>`)}</ul>
    </details>`,
  );
}
