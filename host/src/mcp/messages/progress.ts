import type { Progress } from '@sextant/core';
import { isRecord } from './json-rpc.ts';
import type { RpcRequest } from './json-rpc.ts';

/** Notifications of one call that pass without delay, and the least milliseconds between those after. */
const burst = 10;
const intervalMs = 200;

export type ProgressToken = string | number;

export interface ProgressParams extends Progress {
  progressToken: ProgressToken;
  [key: string]: unknown;
}

/** The token under which the client asked for progress, if it did. */
export function progressTokenOf({ params }: Pick<RpcRequest, 'params'>): ProgressToken | undefined {
  const meta = params?.['_meta'];
  const token = isRecord(meta) ? meta['progressToken'] : undefined;
  return typeof token === 'string' || typeof token === 'number' ? token : undefined;
}

/** Passes on what the protocol allows, growing values only, and not more of it than a client can use. */
export function progressSender(
  progressToken: ProgressToken,
  send: (params: ProgressParams) => void,
): (progress: Progress) => void {
  let [last, sent, lastAt] = [-Infinity, 0, 0];
  return (progress) => {
    const now = performance.now();
    const isLast = progress.progress === progress.total;
    if (progress.progress <= last || (sent >= burst && !isLast && now - lastAt < intervalMs)) return;
    [last, sent, lastAt] = [progress.progress, sent + 1, now];
    send({ progressToken, ...progress });
  };
}
