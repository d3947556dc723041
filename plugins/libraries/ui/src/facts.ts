import type { VNode } from 'preact';
import type { Content } from './content.ts';
import { html } from './html.ts';

/** A moment, RFC 3339: its day, and the rest for those who point at it. */
export const moment = (time: string): VNode =>
  html`<time datetime=${time} title=${`${time.slice(0, 19).replace('T', ' ')} UTC`}>${time.slice(0, 10)}</time>`;

/** How long ago a moment was, in words that fit a table. */
export function ago(time: string, now = Date.now()): VNode {
  const seconds = Math.max(0, (now - Date.parse(time)) / 1000);
  const [unit, size] = units.find(([, size]) => seconds >= size) ?? ['second', 1];
  const text = seconds < 60 ? 'just now' : relative.format(-Math.floor(seconds / size), unit);
  return html`<time datetime=${time} title=${`${time.slice(0, 19).replace('T', ' ')} UTC`}>${text}</time>`;
}

const relative = new Intl.RelativeTimeFormat('en', { numeric: 'always' });
const units = [
  ['year', 31_557_600],
  ['month', 2_629_800],
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
] as const;

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

/** Names with what they are: a description list. */
export const facts = (items: Readonly<Record<string, Content>>): VNode =>
  html`<dl class="facts">
    ${Object.entries(items).map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}
  </dl>`;
