import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';

/** A file that every page loads, under a path that names its content: browsers may keep it for ever. */
export interface Asset {
  readonly path: string;
  readonly contentType: string;
  readonly text: string;
}

function asset(file: string, contentType: string): Asset {
  const text = readFileSync(new URL(`assets/${file}`, import.meta.url), 'utf8');
  const [name, extension] = file.split('.');
  return { path: `/.assets/${name}.${hash('sha256', text, 'hex').slice(0, 16)}.${extension}`, contentType, text };
}

export const stylesheet = asset('sextant.css', 'text/css; charset=utf-8');
export const copyModule = asset('copy.js', 'text/javascript; charset=utf-8');

export const assets: readonly Asset[] = [stylesheet, copyModule];

export const assetResponse = ({ text, contentType }: Asset): Response =>
  new Response(text, {
    headers: { 'content-type': contentType, 'cache-control': 'public, max-age=31536000, immutable' },
  });
