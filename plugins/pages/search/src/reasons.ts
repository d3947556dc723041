import type { FoundFile } from '@sextant/contracts';
import { html } from '@sextant/library-ui';
import type { Content } from '@sextant/library-ui';

/** Words for the parts of a score that the index of this product names; other engines have their own. */
const titles: Readonly<Record<string, string>> = {
  base: 'it matches',
  '×class': 'kind of file',
  name: 'words in its name',
  lines: 'lines that match',
  'bestLine.base': 'a line',
  'bestLine.score': 'its best line',
  'bestLine.wholeWord': 'whole word',
  'bestLine.definition': 'definition',
  'bestLine.besideTerms': 'words beside each other',
  'bestLine.phrase': 'words in a row',
};

const least = 0.005;

/** What the score of a file is made of: what is multiplied stands at the end. */
export function reasons({ total, parts }: NonNullable<FoundFile['score']>): Content {
  const named = Object.entries(parts).filter(([name, value]) => (isFactor(name) ? value !== 1 : value >= least));
  const [factors, summands] = [true, false].map((wanted) => named.filter(([name]) => isFactor(name) === wanted));
  const shown = [...(summands ?? []), ...(factors ?? [])];
  return html`<ul class="chips reasons" aria-label="Why it stands here">
    <li class="strong">Score ${rounded(total)}</li>
    ${shown.map(([name, value]) => html`<li>${titles[name] ?? name} <span class="quiet">${isFactor(name) ? '×' : '+'}${rounded(value)}</span></li>`)}
  </ul>`;
}

const isFactor = (name: string): boolean => name.startsWith('×');

const rounded = (value: number): string => value.toLocaleString('en', { maximumFractionDigits: 2 });
