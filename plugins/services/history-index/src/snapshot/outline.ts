import { secondsOf } from '@sextant/contracts';

/** Commits as a graph needs them. */
export interface GraphPart {
  readonly hashBytes: number;
  readonly hashes: Uint8Array;
  /** Committer dates in seconds since 1970. */
  readonly times: Float64Array;
  readonly parentStarts: Uint32Array;
  readonly parents: Uint8Array;
}

/** What `rev-list --timestamp --parents` prints. */
export function outlineOf(printed: string): GraphPart {
  const lines = printed.split('\n').filter((line) => line !== '');
  const commits = lines.map((line) => line.split(' '));
  const parentStarts = new Uint32Array(commits.length + 1);
  commits.forEach((fields, index) => (parentStarts[index + 1] = (parentStarts[index] ?? 0) + fields.length - 2));
  return {
    hashBytes: (commits[0]?.[1]?.length ?? 40) / 2,
    hashes: Buffer.from(commits.map((fields) => fields[1]).join(''), 'hex'),
    times: Float64Array.from(commits, ([time = '']) => secondsOf(time)),
    parentStarts,
    parents: Buffer.from(commits.map((fields) => fields.slice(2).join('')).join(''), 'hex'),
  };
}
