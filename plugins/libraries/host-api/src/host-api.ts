import { setTimeout } from 'node:timers/promises';
import { SextantError, messageOf, oneLine } from '@sextant/core';
import type { ErrorCode } from '@sextant/core';
import { LRUCache } from 'lru-cache';
import type { z } from 'zod';
import { RequestBudget } from './request-budget.ts';

const timeoutMs = 30_000;
const maxAnswerBytes = 16 * 1024 * 1024;
const maxRememberedCharacters = 32 * 1024 * 1024;
/** A host that wants a longer pause is tried again after this. */
const longestPauseMs = 3_900_000;
const repeatsAfterMs = [1000, 3000];

export interface HostApiOptions {
  /** What paths of requests are appended to: `https://git.example.com/api/v1`. */
  baseURL: string;
  /** Sent with each request, such as the token. */
  headers(signal: AbortSignal): Promise<Readonly<Record<string, string>>>;
  /** Texts that no message may have in it. */
  secrets: readonly string[];
  /** Requests that the operator allows; absent: as many as the host does. */
  requestsPerHour?: number | undefined;
}

export interface HostRequest<T> {
  /** Below the base, beginning with a slash. Segments that come from elsewhere must be encoded. */
  path: string;
  query?: Readonly<Record<string, string | number | boolean>>;
  headers?: Readonly<Record<string, string>>;
  /** `false`: without the headers of the options, as somebody who did not sign in. */
  signsIn?: boolean;
  schema: z.ZodType<T>;
  /** Whether to wait where requests are limited, and to repeat what failed; otherwise both are thrown. */
  waits: boolean;
  signal: AbortSignal;
}

export interface HostAnswer<T> {
  readonly value: T;
  readonly headers: Headers;
}

/** An answer that was there before, for `If-None-Match` (RFC 9110 section 13.1.2). */
interface Remembered {
  readonly etag: string;
  readonly text: string;
  readonly headers: Headers;
}

/**
 * Reads from the API of one code host: within limits of time and size, without following redirects, at the pace that the
 * host allows. Throws what `RepositorySource` says; no message has a secret in it.
 */
export class HostApi {
  readonly #options: HostApiOptions;
  readonly #budget: RequestBudget;
  readonly #remembered = new LRUCache<string, Remembered>({
    max: 10_000,
    maxSize: maxRememberedCharacters,
    sizeCalculation: ({ text }) => text.length + 1000,
  });

  constructor(options: HostApiOptions) {
    this.#options = options;
    this.#budget = new RequestBudget(options.requestsPerHour);
  }

  async read<T>(request: HostRequest<T>): Promise<HostAnswer<T>> {
    const { text, headers } = await this.#repeated(request);
    try {
      return { value: request.schema.parse(JSON.parse(text)), headers };
    } catch (cause) {
      throw this.#failure('unavailable', request, `answered something else than its API promises: ${shapeOf(cause)}`);
    }
  }

  async #repeated<T>(request: HostRequest<T>): Promise<{ text: string; headers: Headers }> {
    for (const pauseMs of request.waits ? repeatsAfterMs : [])
      try {
        return await this.#send(request);
      } catch (error) {
        if (!(error instanceof SextantError) || !isPassing(error.code) || request.signal.aborted) throw error;
        if (error.code === 'unavailable') await setTimeout(pauseMs, undefined, { signal: request.signal, ref: false });
      }
    return this.#send(request);
  }

  async #send<T>(request: HostRequest<T>): Promise<{ text: string; headers: Headers }> {
    const { signal, signsIn = true } = request;
    await this.#budget.take(request);
    const url = new URL(this.#options.baseURL + request.path);
    for (const [key, value] of Object.entries(request.query ?? {})) url.searchParams.set(key, String(value));
    const own = signsIn ? await this.#options.headers(signal) : {};
    const key = `${signsIn} ${url.href} ${JSON.stringify(request.headers ?? {})}`;
    const known = this.#remembered.get(key);
    const headers = {
      accept: 'application/json',
      'user-agent': 'sextant',
      ...own,
      ...request.headers,
      ...(known && { 'if-none-match': known.etag }),
    };
    const answer = await this.#fetched(request, url, headers);
    this.#notePace(answer);
    if (answer.status === 304 && known) return known;
    if (answer.status !== 200) throw this.#refusal(request, answer);
    const etag = answer.headers.get('etag');
    if (etag !== null) this.#remembered.set(key, { etag, text: answer.text, headers: answer.headers });
    return answer;
  }

  async #fetched<T>(request: HostRequest<T>, url: URL, headers: Record<string, string>): Promise<Answer> {
    const signal = AbortSignal.any([request.signal, AbortSignal.timeout(timeoutMs)]);
    try {
      const response = await fetch(url, { headers, signal, redirect: 'manual' });
      return { status: response.status, headers: response.headers, text: await boundedText(response) };
    } catch (error) {
      request.signal.throwIfAborted();
      const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
      throw this.#failure('unavailable', request, `cannot be reached: ${messageOf(cause)}`);
    }
  }

  /** Stops before the host has to say no: `X-RateLimit-*`, `RateLimit-*` and `Retry-After`. */
  #notePace({ status, headers }: Answer): void {
    const retry = headers.get('retry-after');
    const remaining = headers.get('x-ratelimit-remaining') ?? headers.get('ratelimit-remaining');
    const isLimited = status === 429 || (status === 403 && (retry !== null || remaining === '0'));
    if (retry !== null && (isLimited || status === 503)) this.#budget.pause(bounded(retryMs(retry)));
    else if (remaining === '0') this.#budget.pause(bounded(resetMs(headers)));
    else if (isLimited) this.#budget.pause(60_000);
  }

  #refusal<T>(request: HostRequest<T>, { status, headers, text }: Answer): SextantError {
    const said = this.#said(text);
    const limited = headers.get('retry-after') ?? headers.get('x-ratelimit-remaining');
    if (status === 429 || (status === 403 && (limited === '0' || headers.has('retry-after')))) {
      const seconds = Math.ceil(bounded(headers.has('retry-after') ? retryMs(limited ?? '') : resetMs(headers)) / 1000);
      return new SextantError('exhausted', `${this.#host} limits requests; it takes the next one in ${seconds} s`, {
        retryAfterSeconds: seconds,
      });
    }
    if (status === 401) return this.#failure('unauthenticated', request, `does not accept the token${said}`);
    if (status === 403) return this.#failure('forbidden', request, `does not allow that with this token${said}`);
    if (status === 404) return this.#failure('not_found', request, `knows nothing there${said}`);
    if (status >= 300 && status < 400)
      return this.#failure(
        'unavailable',
        request,
        `leads to ${originOf(headers.get('location'))}; if that is meant, configure its address`,
      );
    return this.#failure('unavailable', request, `answered ${status}${said}`);
  }

  #failure<T>(code: ErrorCode, { path }: HostRequest<T>, text: string): SextantError {
    return new SextantError(code, this.#withoutSecrets(`${this.#host} ${text} (GET ${path})`));
  }

  get #host(): string {
    return new URL(this.#options.baseURL).host;
  }

  #said(text: string): string {
    const message = /"message"\s*:\s*"((?:[^"\\]|\\.){1,300})/.exec(text)?.[1];
    return message === undefined ? '' : `: ${message}`;
  }

  #withoutSecrets(text: string): string {
    const hidden = this.#options.secrets.filter((secret) => secret !== '');
    return oneLine(hidden.reduce((shown, secret) => shown.replaceAll(secret, '***'), text));
  }
}

interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

const isPassing = (code: ErrorCode): boolean => code === 'unavailable' || code === 'exhausted';

const bounded = (ms: number): number => Math.min(Math.max(ms, 1000), longestPauseMs);

/** Seconds or a date (RFC 9110 section 10.2.3). */
function retryMs(value: string): number {
  if (/^\d+$/.test(value)) return Number(value) * 1000;
  const date = Date.parse(value);
  return Number.isNaN(date) ? 60_000 : date - Date.now();
}

/** GitHub and GitLab say the second since 1970; others how many seconds are left. */
function resetMs(headers: Headers): number {
  const value = Number(headers.get('x-ratelimit-reset') ?? headers.get('ratelimit-reset') ?? 60);
  if (!Number.isFinite(value)) return 60_000;
  return value > 1e9 ? value * 1000 - Date.now() + 1000 : value * 1000;
}

const originOf = (location: string | null): string =>
  (location !== null && URL.canParse(location) && new URL(location).origin) || 'another place';

/** Where an answer is not what was expected, without quoting it. */
function shapeOf(cause: unknown): string {
  const [issue] =
    cause instanceof Error && 'issues' in cause && Array.isArray(cause.issues)
      ? (cause.issues as z.core.$ZodIssue[])
      : [];
  return issue ? `${issue.path.map(String).join('.')}: ${issue.message}` : 'no JSON';
}

async function boundedText(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.byteLength;
    if (size > maxAnswerBytes) throw new Error(`its answer has more than ${maxAnswerBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
