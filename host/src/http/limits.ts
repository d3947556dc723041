import { SextantError } from '@sextant/core';
import type { Caller } from '@sextant/core';
import type { HostSettings } from '../server/settings.ts';

type Limits = HostSettings['limits'];

/** Enough to go on, whatever the memory is taken by. */
const callsWithLittleMemory = 2;

/** The calls that are being answered, over all generations. */
export class InFlight {
  readonly #byUser = new Map<number, number>();
  #total = 0;
  /** Set while the process has little memory left: then few calls are answered at once. */
  isShortOfMemory = false;

  get total(): number {
    return this.#total;
  }

  /** Counts a call until the returned function is called. Throws `exhausted` when there are too many. */
  enter({ user }: Caller, { callsPerCaller, callsPerServer }: Limits): () => void {
    const own = this.#byUser.get(user.id) ?? 0;
    if (own >= callsPerCaller)
      throw new SextantError(
        'exhausted',
        `you have ${own} calls in flight, the most that one user may have; wait for one to end`,
      );
    if (this.isShortOfMemory && this.#total >= callsWithLittleMemory)
      throw new SextantError(
        'exhausted',
        'the server is short of memory and answers few calls at once; try again in a moment',
        { retryAfterSeconds: 5 },
      );
    if (this.#total >= callsPerServer)
      throw new SextantError(
        'exhausted',
        `the server has ${this.#total} calls in flight, its most; try again in a moment`,
      );
    this.#byUser.set(user.id, own + 1);
    this.#total += 1;
    let isIn = true;
    return () => {
      if (isIn) this.#leave(user.id);
      isIn = false;
    };
  }

  #leave(userId: number): void {
    this.#total -= 1;
    const left = (this.#byUser.get(userId) ?? 0) - 1;
    if (left > 0) this.#byUser.set(userId, left);
    else this.#byUser.delete(userId);
  }
}

/** A body up to here costs little to hold. */
const smallBytes = 64 * 1024;

export interface ReadOptions {
  /** Most bytes. */
  limit: number;
  /** Called, perhaps more than once, as soon as the body is known to be no small one and before more of it is read. */
  whenLarge(): void;
}

/** Reads a body as text. Throws `too_large` as soon as it is known to be longer than `limit` bytes. */
export async function readText(request: Request, { limit, whenLarge }: ReadOptions): Promise<string> {
  const declared = request.headers.get('content-length');
  if (Number(declared) > limit) throw tooLarge(limit);
  if (Number(declared) > smallBytes) whenLarge();
  // A declared length is kept by the HTTP parser: no need to count again.
  if (declared !== null) return request.text();
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of request.body ?? []) {
    size += chunk.byteLength;
    if (size > limit) throw tooLarge(limit);
    if (size > smallBytes) whenLarge();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

const tooLarge = (limit: number): SextantError =>
  new SextantError('too_large', `the request body is larger than ${limit} bytes`);
