import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';

/** A file that pages load. Its path has a hash of its content, so browsers may cache it for ever. */
export interface Asset {
  readonly path: string;
  readonly contentType: string;
  readonly body: string | Uint8Array<ArrayBuffer>;
}

const contentTypes = {
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  svg: 'image/svg+xml',
  woff2: 'font/woff2',
} as const;

type FileName = `${string}.${keyof typeof contentTypes}`;

/** An asset with the content of one or several files. `name` is a file name: `search.js`. */
export const assetOf = (name: FileName, files: readonly URL[]): Asset =>
  assetWith(name, files.map((file) => readFileSync(file, 'utf8')).join('\n'));

function assetWith(name: FileName, body: Asset['body']): Asset {
  const end = name.lastIndexOf('.');
  const [stem, extension] = [name.slice(0, end), name.slice(end + 1)];
  const contentType = Object.entries(contentTypes).find(([known]) => known === extension)?.[1] ?? 'text/plain';
  return { path: `/.assets/${stem}.${hash('sha256', body, 'hex').slice(0, 16)}.${extension}`, contentType, body };
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

const require = createRequire(import.meta.url);

/** The files of a font, one for each range of characters, and the rules that name them: those of its stylesheet. */
function fontOf(at: string): { readonly files: readonly Asset[]; readonly rules: string } {
  const files: Asset[] = [];
  const rules = readFileSync(at, 'utf8').replaceAll(/url\(([^)]+)\)/g, (_whole, file: string) => {
    const asset = assetWith(`${basename(file, '.woff2')}.woff2`, new Uint8Array(readFileSync(join(dirname(at), file))));
    files.push(asset);
    return `url(${asset.path})`;
  });
  return { files, rules };
}

const fonts = [
  require.resolve('@fontsource-variable/inter/index.css'),
  require.resolve('@fontsource-variable/jetbrains-mono/index.css'),
].map(fontOf);

export const stylesheet = assetWith(
  'sextant.css',
  [...fonts.map(({ rules }) => rules), ...sheets.map((sheet) => readFileSync(own(`css/${sheet}.css`), 'utf8'))].join(
    '\n',
  ),
);
/** Runs before a page is painted: see there. */
export const themeScript = assetOf('theme.js', [own('theme.js')]);
/** The function `suggestions` for modules of pages, which stands before them in one file. */
export const suggestionsScript = own('suggestions.js');
export const commonModule = assetOf('common.js', [suggestionsScript, own('search-box.js'), own('common.js')]);
export const icon = assetOf('icon.svg', [own('icon.svg')]);

/** Fonts that every page needs, asked for before the stylesheet is read: text is painted once. */
export const neededFonts = fonts.flatMap(({ files }) => files.filter(({ path }) => /-latin-wght-normal/.test(path)));

/** The assets of every page. */
export const assets: readonly Asset[] = [
  stylesheet,
  themeScript,
  commonModule,
  icon,
  ...fonts.flatMap(({ files }) => files),
];

export const assetResponse = ({ body, contentType }: Asset): Response =>
  new Response(body, {
    headers: { 'content-type': contentType, 'cache-control': 'public, max-age=31536000, immutable' },
  });
