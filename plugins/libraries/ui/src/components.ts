import { html } from 'htm/preact';
import type { VNode } from 'preact';
import type { Link } from './page.ts';

/** A template that becomes a preact node. Values in it are escaped. */
export { html };

/** Control and bidirectional characters, which `visible` of core shows in the same way. Libraries do not import core. */
const acting = '(?!\\t|\\r?\\n)[\\p{Cc}\\p{Zl}\\p{Zp}\\p{Bidi_Control}]';
const anyActing = new RegExp(acting, 'u');
const tagsAndActing = new RegExp(`<[^>]*>|${acting}`, 'gu');

/**
 * Replaces such characters in the texts of markup by escapes, because anyone may write the names, messages and code of a repository.
 * Attributes stay as they are, so that a form sends back what it was given.
 */
export const withVisibleTexts = (markup: string): string =>
  anyActing.test(markup)
    ? markup.replace(tagsAndActing, (part) =>
        part.startsWith('<') ? part : `\\u${part.charCodeAt(0).toString(16).padStart(4, '0')}`,
      )
    : markup;

/** The content of an element. Strings are escaped; `false` and `undefined` show nothing. */
export type Content = VNode | string | number | false | undefined | readonly Content[];

/** A text in which what stands between backticks is code, as people write it in messages. */
export const withCode = (text: string): Content =>
  text.split(/(`[^`]+`)/).map((part, index) => (index % 2 === 0 ? part : html`<code>${part.slice(1, -1)}</code>`));

const aboutTool = '[a-z]+(?:_[a-z]+)+ (?:shows|finds|lists) (?:[^.]|\\.(?=\\S)){0,300}';
const clauseAboutTool = new RegExp(`;\\s*${aboutTool}\\.?`, 'g');
const sentenceAboutTool = new RegExp(`(?:^|\\s)${aboutTool}\\.`, 'g');

const time = /\b(\d{4}-\d\d-\d\d)T(\d\d:\d\d):\d\d(?:\.\d+)?Z/g;

/** A message of a service without what it says to agents: which tool shows more. Its times are such as people read. */
export const forPeople = (message: string): string =>
  message.replace(clauseAboutTool, '.').replace(sentenceAboutTool, '').replace(time, '$1 $2 UTC').trim();

export type NoticeKind = 'info' | 'success' | 'warning' | 'danger';

/** A highlighted message. Screen readers read dangers at once. */
export const notice = (kind: NoticeKind, body: Content): VNode =>
  html`<div class=${`notice ${kind}`} role=${kind === 'danger' ? 'alert' : 'status'}>${typeof body === 'string' ? withCode(body) : body}</div>`;

/** What an answer lacks, or why. Beside results, which come first, it takes one line until it is opened. */
export function noteList(notes: readonly string[], hasResults: boolean): Content {
  const shown = [...new Set(notes.map(forPeople))].filter((note) => note !== '');
  const [first] = shown;
  if (first === undefined) return undefined;
  if (shown.length === 1)
    return notice(
      'info',
      hasResults ? html`<details class="one-line"><summary>${withCode(first)}</summary></details>` : first,
    );
  return notice(
    'info',
    html`<details open=${!hasResults}>
      <summary>${shown.length} notes on these results</summary>
      <ul>${shown.map((note) => html`<li>${withCode(note)}</li>`)}</ul>
    </details>`,
  );
}

export interface FileName {
  readonly path: string;
  /** Its repository, with the revision; absent where the page is of that repository. */
  readonly place?: string | undefined;
}

/** The text of a link to a file with the class `file-name`: of a path that is too long the folders are cut. */
export function fileName({ path, place }: FileName): Content {
  const at = path.lastIndexOf('/') + 1;
  return html`${place !== undefined && html`<span class="quiet">${place}</span>`}${place !== undefined && path !== '' && ' '}${path !== '' && html`<span class="folders">${path.slice(0, at)}</span><strong>${path.slice(at)}</strong>`}`;
}

/**
 * The message of a page after a form was sent. The form redirects (303) to `?done=<name>`; only names in `messages` are shown.
 */
export function flash(url: string, messages: Readonly<Record<string, string>>): VNode | undefined {
  const name = new URL(url).searchParams.get('done') ?? '';
  return Object.hasOwn(messages, name) ? notice('success', messages[name]) : undefined;
}

export interface Card {
  title: string;
  body: Content;
  /** A link or tag at the end of the title's line. */
  aside?: Content;
}

/** A box with a heading. */
export const card = ({ title, body, aside }: Card): VNode =>
  html`<section class="card stack">
    <div class="between"><h2>${title}</h2>${aside}</div>
    ${body}
  </section>`;

/** Shown instead of an empty list: why it is empty, and what to do. */
export const emptyState = (title: Content, hint?: Content): VNode =>
  html`<div class="empty"><p><strong>${title}</strong></p>${hint !== undefined && html`<p>${hint}</p>`}</div>`;

export type TagKind = 'plain' | NoticeKind;

/** A short label: a scope, a state. */
export const tag = (text: string, kind: TagKind = 'plain'): VNode => html`<span class=${`tag ${kind}`}>${text}</span>`;

export interface CopyText {
  /** Unique on the page. */
  id: string;
  text: string;
  /** The button's text. Screen readers need more than `Copy`: `Copy token`. */
  label?: string;
  /** Whether the text has several lines. */
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
  /** What the heading says instead of the title: a link that sorts. */
  heading?: Content;
  cell(row: Row): Content;
}

export interface Table<Row> {
  /** For screen readers. */
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
        <tr>${columns.map(({ title, heading }) => html`<th scope="col">${heading ?? (title || html`<span class="unseen">Actions</span>`)}</th>`)}</tr>
      </thead>
      <tbody>${rows.map((row) => html`<tr>${columns.map((column) => cell(column, row))}</tr>`)}</tbody>
    </table>
  </div>`;
}

/** The day of a time (RFC 3339). The tooltip has the rest. */
export const moment = (time: string): VNode => timeAs(time, time.slice(0, 10));

const timeAs = (time: string, text: string): VNode =>
  html`<time datetime=${time} title=${`${time.slice(0, 19).replace('T', ' ')} UTC`}>${text}</time>`;

/** How long ago a time was, in words that fit into a table. */
export function ago(time: string, now = Date.now()): VNode {
  const seconds = Math.max(0, (now - Date.parse(time)) / 1000);
  const [unit, size] = unitOf(seconds);
  return timeAs(time, seconds < 60 ? 'just now' : relative.format(-Math.floor(seconds / size), unit));
}

/** How long it is until a time, in words that fit into a table. */
export function until(time: string, now = Date.now()): VNode {
  const seconds = (Date.parse(time) - now) / 1000;
  const [unit, size] = unitOf(seconds);
  return timeAs(time, seconds < 1 ? 'now' : relative.format(Math.round(seconds / size), unit));
}

const relative = new Intl.RelativeTimeFormat('en', { numeric: 'always' });
const units = [
  ['year', 31_557_600],
  ['month', 2_629_800],
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
] as const;
const unitOf = (seconds: number) => units.find(([, size]) => seconds >= size) ?? (['second', 1] as const);

/** A number with its noun: `1 line`, `1,204 lines`. */
export const count = (number: number, noun: string, plural = `${noun}s`): string =>
  `${number.toLocaleString('en')} ${number === 1 ? noun : plural}`;

/** A size as people read it: `812 bytes`, `3.4 kB`, `12 MB`. */
export function byteSize(bytes: number): string {
  if (bytes < 1000) return count(bytes, 'byte');
  const power = Math.min(3, Math.floor(Math.log10(bytes) / 3));
  const value = bytes / 1000 ** power;
  return `${value >= 10 ? Math.round(value) : value.toFixed(1)} ${['', 'kB', 'MB', 'GB'][power]}`;
}

/** A description list. */
export const facts = (items: Readonly<Record<string, Content>>): VNode =>
  html`<dl class="facts">
    ${Object.entries(items).map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}
  </dl>`;

export interface Tab extends Link {
  readonly isCurrent: boolean;
  /** The same without chosen lines: a script adds those that are chosen later. */
  readonly withLines?: string;
}

/** Links between views of one thing. `label` names it for screen readers. */
export const tabs = (label: string, items: readonly Tab[]): VNode =>
  html`<nav class="tabs" aria-label=${label}>
    ${items.map(({ title, path, isCurrent, withLines }) => html`<a href=${path} aria-current=${isCurrent ? 'page' : undefined} data-with-lines=${withLines}>${title}</a>`)}
  </nav>`;

/** The path from the root to this page, `here`. */
export const breadcrumbs = (links: readonly Link[], here: string): VNode =>
  html`<nav class="crumbs" aria-label="Path">
    ${links.map(({ title, path }) => html`<a href=${path}>${title}</a><span aria-hidden="true">/</span>`)}
    <strong aria-current="location">${here}</strong>
  </nav>`;

export interface Pages {
  /** Paths of the previous and the next page, if there is one. */
  previous?: string | undefined;
  next?: string | undefined;
  /** Shown between the links: `51–100 of 312`. */
  position?: Content;
}

/** Links to the previous and the next page; nothing if all fits on one page. */
export function pagination({ previous, next, position }: Pages): VNode | undefined {
  if (previous === undefined && next === undefined) return undefined;
  return html`<nav class="pagination" aria-label="More results">
    ${link('Previous', previous, 'prev')}<span class="quiet">${position}</span>${link('Next', next, 'next')}
  </nav>`;
}

const link = (text: string, path: string | undefined, rel: string): VNode =>
  path === undefined
    ? html`<span class="button plain" aria-disabled="true">${text}</span>`
    : html`<a class="button plain" href=${path} rel=${rel}>${text}</a>`;
