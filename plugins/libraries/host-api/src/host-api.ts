import { setTimeout } from 'node:timers/promises';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { SextantError, joinSignals, messageOf, oneLine, timeoutSignal } from '@sextant/core';
import type { ErrorCode } from '@sextant/core';
import { LRUCache } from 'lru-cache';
import type { z } from 'zod';
import { RequestBudget } from './request-budget.ts';

const timeoutMs = 30_000;
const maxAnswerBytes = 16 * 1024 * 1024;
const maxRememberedBytes = 32 * 1024 * 1024;
/** A host that wants a longer pause is tried again after this. */
const longestPauseMs = 3_900_000;
const repeatsAfterMs = [1000, 3000];
/** Where a host says that it limits requests, and not for how long. */
const pauseMs = 60_000;
/** What Gerrit writes before its JSON, so that no page can run it as a script. */
const notForScripts = /^\)\]\}'\n/;

export interface HostApiOptions {
  /** What paths of requests are appended to: `https://git.example.com/api/v1`. */
  baseURL: string;
  /** Sent with each request, such as the token. */
  headers(signal: AbortSignal): Promise<Readonly<Record<string, string>>>;
  /** Texts that no message may have in it. */
  secrets(): readonly string[];
  /** Called when the host does not take what these headers sign in with. */
  onUnauthenticated?: () => void;
  /** Told for how many seconds requests wait, where that is long. */
  onWait?: ((seconds: number) => void) | undefined;
  /** Requests that the operator allows; absent: as many as the host does. */
  requestsPerHour?: number | undefined;
}

export interface HostRequest<T> {
  /** Below the base, beginning with a slash. Segments that come from elsewhere must be encoded. */
  path: string;
  /** A list is sent as the same key several times. */
  query?: Readonly<Record<string, string | number | boolean | readonly string[]>>;
  /** Sent with POST: as a form, or else as JSON. */
  body?: object | URLSearchParams;
  /** Where an answer goes on, for hosts that say so in it and not in `Link`. */
  next?(value: T): string | undefined;
  /** What the host counts this request by, where not by the quota of most: GitHub counts searches apart. */
  quota?: string;
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
  /** Deflated: pages of repositories are mostly addresses that are alike. */
  readonly text: Buffer;
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
    maxSize: maxRememberedBytes,
    sizeCalculation: ({ text }) => text.length + 1000,
  });

  constructor(options: HostApiOptions) {
    this.#options = options;
    this.#budget = new RequestBudget(options.requestsPerHour);
  }

  async read<T>(request: HostRequest<T>): Promise<HostAnswer<T>> {
    const { text, headers } = await this.#repeated(request);
    try {
      return { value: request.schema.parse(JSON.parse(text.replace(notForScripts, ''))), headers };
    } catch (cause) {
      throw this.#failure('unavailable', request, `answered something else than its API promises: ${shapeOf(cause)}`);
    }
  }

  /** An answer and those that follow it, as `next` of the request or else `Link` says (RFC 8288, relation `next`). */
  async *pages<T>(request: HostRequest<T>): AsyncIterable<HostAnswer<T>> {
    for (let next: HostRequest<T> | undefined = request; next; ) {
      const answer: HostAnswer<T> = await this.read(next);
      yield answer;
      next = this.#following(next, next.next ? next.next(answer.value) : linkOf(answer.headers));
    }
  }

  #following<T>(request: HostRequest<T>, target: string | undefined): HostRequest<T> | undefined {
    if (target === undefined) return undefined;
    if (!target.startsWith(`${this.#options.baseURL}/`))
      throw this.#failure(
        'unavailable',
        request,
        `continues at ${originOf(target)}; if that is meant, configure its address`,
      );
    const { query: _first, ...others } = request;
    return { ...others, path: target.slice(this.#options.baseURL.length) };
  }

  async #repeated<T>(request: HostRequest<T>): Promise<{ text: string; headers: Headers }> {
    for (const afterMs of request.waits ? repeatsAfterMs : [])
      try {
        return await this.#send(request);
      } catch (error) {
        if (!(error instanceof SextantError) || !isPassing(error.code) || request.signal.aborted) throw error;
        if (error.code === 'unavailable') await setTimeout(afterMs, undefined, { signal: request.signal, ref: false });
      }
    return this.#send(request);
  }

  async #send<T>(request: HostRequest<T>): Promise<{ text: string; headers: Headers }> {
    const { signal, signsIn = true } = request;
    await this.#budget.take({ ...request, onWait: this.#options.onWait });
    const url = new URL(this.#options.baseURL + request.path);
    for (const [key, value] of Object.entries(request.query ?? {}))
      for (const each of [value].flat()) url.searchParams.append(key, String(each));
    const own = signsIn ? await this.#options.headers(signal) : {};
    const key = `${signsIn} ${url.href} ${JSON.stringify(request.headers ?? {})}`;
    const known = request.body ? undefined : this.#remembered.get(key);
    const headers = {
      accept: 'application/json',
      'user-agent': 'sextant',
      ...own,
      ...request.headers,
      ...(isJson(request.body) && { 'content-type': 'application/json' }),
      ...(known && { 'if-none-match': known.etag }),
    };
    const answer = await this.#fetched(request, url, headers);
    this.#notePace(request, answer);
    if (answer.status === 304 && known) return { text: inflateRawSync(known.text).toString(), headers: known.headers };
    if (answer.status === 401 && signsIn) this.#options.onUnauthenticated?.();
    if (answer.status !== 200 && answer.status !== 201) throw this.#refusal(request, answer);
    const etag = answer.headers.get('etag');
    if (etag !== null && !request.body)
      this.#remembered.set(key, { etag, text: deflateRawSync(answer.text, { level: 1 }), headers: answer.headers });
    return answer;
  }

  async #fetched<T>(request: HostRequest<T>, url: URL, headers: Record<string, string>): Promise<Answer> {
    const signal = joinSignals(request.signal, timeoutSignal(timeoutMs));
    try {
      const { body } = request;
      const sent = body && { method: 'POST', body: body instanceof URLSearchParams ? body : JSON.stringify(body) };
      const response = await fetch(url, { headers, signal, redirect: 'manual', ...sent });
      return { status: response.status, headers: response.headers, text: await boundedText(response) };
    } catch (error) {
      request.signal.throwIfAborted();
      const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
      const why = isWithoutTLS(cause) ? noTLS : messageOf(cause);
      throw this.#failure('unavailable', request, `cannot be reached: ${why}`);
    }
  }

  /** Stops before the host has to say no: `X-RateLimit-*`, `RateLimit-*` and `Retry-After`. */
  #notePace<T>({ quota }: HostRequest<T>, answer: Answer): void {
    const { status, headers } = answer;
    const retry = headers.get('retry-after');
    if (retry !== null && (isLimit(answer) || status === 503)) this.#budget.pause(bounded(retryMs(retry)));
    else if (remainingOf(headers) === '0') this.#budget.pause(bounded(resetMs(headers)), quota);
    else if (isLimit(answer)) this.#budget.pause(pauseMs);
  }

  #refusal<T>(request: HostRequest<T>, answer: Answer): SextantError {
    const { status, headers, text } = answer;
    const said = this.#said(text);
    if (isLimit(answer)) {
      const seconds = Math.ceil(bounded(limitMs(headers)) / 1000);
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

  #failure<T>(code: ErrorCode, { path, body }: HostRequest<T>, text: string): SextantError {
    return new SextantError(code, this.#withoutSecrets(`${this.#host} ${text} (${body ? 'POST' : 'GET'} ${path})`));
  }

  get #host(): string {
    return new URL(this.#options.baseURL).host;
  }

  #said(text: string): string {
    const message = /"message"\s*:\s*"((?:[^"\\]|\\.){1,300})/.exec(text)?.[1];
    return message === undefined ? '' : `: ${message}`;
  }

  #withoutSecrets(text: string): string {
    const hidden = this.#options.secrets().filter((secret) => secret !== '');
    return oneLine(hidden.reduce((shown, secret) => shown.replaceAll(secret, '***'), text));
  }
}

const isJson = (body: object | undefined): boolean => body !== undefined && !(body instanceof URLSearchParams);

const linkOf = (headers: Headers): string | undefined =>
  /<([^>]*)>\s*;[^,]*\brel="?next\b/.exec(headers.get('link') ?? '')?.[1];

interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

const noTLS = 'it speaks no TLS there; its address may begin with http://, or have another port';

const isWithoutTLS = (cause: unknown): boolean =>
  cause instanceof Error && 'code' in cause && cause.code === 'ERR_SSL_WRONG_VERSION_NUMBER';

/** At a secondary limit GitHub may say so in words alone. */
const isLimit = ({ status, headers, text }: Answer): boolean =>
  status === 429 ||
  (status === 403 &&
    (headers.has('retry-after') || remainingOf(headers) === '0' || text.includes('secondary rate limit')));

const remainingOf = (headers: Headers): string | null =>
  headers.get('x-ratelimit-remaining') ?? headers.get('ratelimit-remaining');

const limitMs = (headers: Headers): number =>
  headers.has('retry-after')
    ? retryMs(headers.get('retry-after') ?? '')
    : remainingOf(headers) === '0'
      ? resetMs(headers)
      : pauseMs;

const isPassing = (code: ErrorCode): boolean => code === 'unavailable' || code === 'exhausted';

const bounded = (ms: number): number => Math.min(Math.max(ms, 1000), longestPauseMs);

/** Seconds or a date (RFC 9110 section 10.2.3). */
function retryMs(value: string): number {
  if (/^\d+$/.test(value)) return Number(value) * 1000;
  const date = Date.parse(value);
  return Number.isNaN(date) ? pauseMs : date - Date.now();
}

/** GitHub and GitLab say the second since 1970; others how many seconds are left. */
function resetMs(headers: Headers): number {
  const value = Number(headers.get('x-ratelimit-reset') ?? headers.get('ratelimit-reset') ?? 60);
  if (!Number.isFinite(value)) return pauseMs;
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
