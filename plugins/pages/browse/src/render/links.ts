import type { View } from '../address.ts';
import type { ShownFile } from '../views/blob.ts';
import { linkTo } from '../visit.ts';

/** Of the names of headings: none gets the name of something else on the page. */
export const prefix = 'section-';

export interface ResolvedLink {
  readonly href: string;
  readonly isOutside: boolean;
}

/** Where a link in a file leads: to a file of its repository, to a web address, or nowhere. */
export function resolveLink({ visit, path }: ShownFile, link: string, view: View): ResolvedLink {
  if (link.startsWith('#')) return { href: `#${prefix}${link.slice(1)}`, isOutside: false };
  if (/^(https?:|mailto:)/i.test(link)) return { href: link, isOutside: true };
  // Anything else with a scheme, and addresses that take their scheme or host from this page.
  if (/^[a-z][a-z0-9+.-]*:/i.test(link) || /^[\\/]{2}/.test(link)) return { href: '#', isOutside: false };
  const [, file = '', query = '', fragment = ''] = /^([^?#]*)(\?[^#]*)?(#.*)?$/s.exec(link) ?? [];
  const target = inRepository(path, file);
  if (target === undefined) return { href: '#', isOutside: false };
  const lines = /^#L(\d+)(?:-L?(\d+))?$/.exec(fragment);
  const at = lines ? `?L${lines[1]}${lines[2] === undefined ? '' : `-${lines[2]}`}` : fragmentOf(query, fragment);
  const isFolder = file.endsWith('/') || target === '';
  return { href: linkTo(visit, isFolder && view === 'blob' ? 'tree' : view, target) + at, isOutside: false };
}

const fragmentOf = (query: string, fragment: string): string =>
  query.includes('raw=') || fragment === '' ? '' : `#${prefix}${fragment.slice(1)}`;

/** A path from the root, of one that is relative to a file; undefined for one that leads out of the repository. */
function inRepository(from: string, link: string): string | undefined {
  const decoded = decode(link);
  const start = decoded.startsWith('/') ? [] : from.split('/').slice(0, -1);
  const segments = [...start];
  for (const segment of decoded.split('/')) {
    if (segment === '..' && segments.pop() === undefined) return undefined;
    if (segment !== '..' && segment !== '.' && segment !== '') segments.push(segment);
  }
  return segments.join('/');
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
