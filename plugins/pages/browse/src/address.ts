/** What a page shows of a repository. */
export const views = [
  'blob',
  'tree',
  'raw',
  'lines',
  'symbol',
  'commit',
  'commits',
  'compare',
  'refs',
  'blame',
  'files',
] as const;
export type View = (typeof views)[number];

/** One way to read the path of a page; the first whose repository exists is what was meant. */
export interface Address {
  readonly repo: string;
  /** Absent: the default branch. */
  readonly revision?: string;
  readonly view: View;
  /** What follows the view: a path, a hash, `base...head`. */
  readonly rest: string;
}

const divider = '/-/';
const maxLength = 16_384;
const maxReadings = 12;
/** First segments that are never a repository's. */
const reserved = new Set(['.api', '.auth', '.well-known', '.assets']);

/** Whether a path may be that of a repository's page. */
export function mayBeAddress(pathname: string): boolean {
  const [first = ''] = pathname.slice(1).split('/', 1);
  if (first === '' || reserved.has(first)) return false;
  return first !== 'api' || pathname.includes(divider);
}

/**
 * Every way to read a path, the likeliest first. Links encode the `@` of names, so the first `@` divides. Names of
 * repositories, branches and files may all contain `/-/`.
 */
export function readingsOf(pathname: string): readonly Address[] {
  if (pathname.length > maxLength) return [];
  const readings = [...dividers(pathname)].flatMap((at) => {
    const [, view = '', rest = ''] = /^([^/]*)\/?(.*)$/s.exec(pathname.slice(at + divider.length)) ?? [];
    return isView(view) ? headsOf(pathname.slice(1, at), { view, rest }) : [];
  });
  readings.push(...headsOf(pathname.slice(1).replace(/\/$/, ''), { view: 'tree', rest: '' }));
  return readings.slice(0, maxReadings);
}

function* dividers(pathname: string): Generator<number> {
  for (let at = pathname.indexOf(divider); at >= 0; at = pathname.indexOf(divider, at + 1)) yield at;
}

/** What stands before the view: a repository, or a repository and a revision. */
function headsOf(head: string, tail: { view: View; rest: string }): Address[] {
  const rest = decode(tail.rest);
  if (rest === undefined || head === '') return [];
  const whole = decode(head);
  const split = [...head.matchAll(/@/g)].map(({ index }) => [
    decode(head.slice(0, index)),
    decode(head.slice(index + 1)),
  ]);
  const withRevision = split.flatMap(([repo, revision]) =>
    repo && revision ? [{ repo, revision, view: tail.view, rest }] : [],
  );
  return [...withRevision, ...(whole === undefined ? [] : [{ repo: whole, view: tail.view, rest }])];
}

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

const isView = (text: string): text is View => views.some((view) => view === text);

/** The path of a file in an address, as the links of answers encode it. */
export const encodePath = (path: string): string => path.split('/').map(encodeURIComponent).join('/');
