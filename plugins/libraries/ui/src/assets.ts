import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';

/** A file that pages load. Its path has a hash of its content, so browsers may cache it for ever. */
export interface Asset {
  readonly path: string;
  readonly contentType: string;
  readonly text: string;
}

const contentTypes = {
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  svg: 'image/svg+xml',
} as const;

/** An asset with the content of one or several files. `name` is a file name: `search.js`. */
export function assetOf(name: `${string}.${keyof typeof contentTypes}`, files: readonly URL[]): Asset {
  const text = files.map((file) => readFileSync(file, 'utf8')).join('\n');
  const end = name.lastIndexOf('.');
  const [stem, extension] = [name.slice(0, end), name.slice(end + 1)];
  const contentType = Object.entries(contentTypes).find(([known]) => known === extension)?.[1] ?? 'text/plain';
  return { path: `/.assets/${stem}.${hash('sha256', text, 'hex').slice(0, 16)}.${extension}`, contentType, text };
}

const own = (file: string): URL => new URL(`assets/${file}`, import.meta.url);
const sheets = [
  'tokens',
  'base',
  'layout',
  'forms',
  'components',
  'home',
  'deepsearch',
  'code',
  'repository',
  'prose',
  'search',
  'small-screens',
];

export const stylesheet = assetOf(
  'sextant.css',
  sheets.map((sheet) => own(`css/${sheet}.css`)),
);
export const commonModule = assetOf('common.js', [own('common.js')]);
/** The function `suggestions` for modules of pages, which stands before them in one file. */
export const suggestionsScript = own('suggestions.js');
export const icon = assetOf('icon.svg', [own('icon.svg')]);

/** The assets of every page. */
export const assets: readonly Asset[] = [stylesheet, commonModule, icon];

export const assetResponse = ({ text, contentType }: Asset): Response =>
  new Response(text, {
    headers: { 'content-type': contentType, 'cache-control': 'public, max-age=31536000, immutable' },
  });
