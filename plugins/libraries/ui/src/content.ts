import type { VNode } from 'preact';
import { html } from './html.ts';

/** What may stand inside an element. Strings are escaped; `false` and `undefined` are nothing. */
export type Content = VNode | string | number | false | undefined | readonly Content[];

export type NoticeKind = 'info' | 'success' | 'warning' | 'danger';

/** A message that stands out; dangers are read aloud at once. */
export const notice = (kind: NoticeKind, body: Content): VNode =>
  html`<div class=${`notice ${kind}`} role=${kind === 'danger' ? 'alert' : 'status'}>${body}</div>`;

/**
 * The message that a page shows after a form was sent: the form answers 303 to `?done=<name>`, and only names that
 * the page knows are shown.
 */
export function flash(url: string, messages: Readonly<Record<string, string>>): VNode | undefined {
  const name = new URL(url).searchParams.get('done') ?? '';
  return Object.hasOwn(messages, name) ? notice('success', messages[name]) : undefined;
}

export interface Card {
  title: string;
  body: Content;
  /** Stands at the end of the line of the title: a link, a tag. */
  aside?: Content;
}

/** A box with a heading of its own. */
export const card = ({ title, body, aside }: Card): VNode =>
  html`<section class="card stack">
    <div class="between"><h2>${title}</h2>${aside}</div>
    ${body}
  </section>`;

/** What stands where there is nothing: why, and what to do. */
export const emptyState = (title: string, hint?: Content): VNode =>
  html`<div class="empty"><p><strong>${title}</strong></p>${hint !== undefined && html`<p>${hint}</p>`}</div>`;

export type TagKind = 'plain' | NoticeKind;

/** A short word about something: a scope, a state. */
export const tag = (text: string, kind: TagKind = 'plain'): VNode => html`<span class=${`tag ${kind}`}>${text}</span>`;

export interface CopyText {
  /** Unique on the page. */
  id: string;
  text: string;
  /** What the button says, to people who cannot see what stands beside it: `Copy token`. */
  label?: string;
  /** Several lines, as they stand. */
  isBlock?: boolean;
}

/** Text with a button that copies it. */
export const copyText = ({ id, text, label = 'Copy', isBlock = false }: CopyText): VNode =>
  html`<div class=${isBlock ? 'copy block' : 'copy'}>
    ${isBlock ? html`<pre id=${id} tabindex="0">${text}</pre>` : html`<code id=${id}>${text}</code>`}
    <button class="button" type="button" data-copy=${id} hidden>${label}</button>
  </div>`;

export interface Column<Row> {
  /** Empty for a column of buttons. */
  title: string;
  cell(row: Row): Content;
}

export interface Table<Row> {
  /** For those who cannot see it. */
  caption: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  /** Shown instead of a table without rows. */
  empty: Content;
}

/** A table; on a narrow screen each row becomes a card. */
export function table<Row>({ caption, columns, rows, empty }: Table<Row>): VNode {
  if (rows.length === 0) return html`<div class="empty">${empty}</div>`;
  const cell = ({ title, cell: contentOf }: Column<Row>, row: Row): VNode =>
    html`<td class=${title === '' ? 'end' : undefined} data-label=${title}><div>${contentOf(row)}</div></td>`;
  return html`<div class="scroll" role="region" aria-label=${caption} tabindex="0">
    <table class="cards">
      <thead>
        <tr>${columns.map(({ title }) => html`<th scope="col">${title || html`<span class="unseen">Actions</span>`}</th>`)}</tr>
      </thead>
      <tbody>${rows.map((row) => html`<tr>${columns.map((column) => cell(column, row))}</tr>`)}</tbody>
    </table>
  </div>`;
}
