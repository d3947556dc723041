import { SextantError } from '@sextant/core';
import type { AnswerOf, SentRequest } from './messages.ts';

/** Largest body of a request, in bytes. */
const mostBody = 4 * 1024 * 1024;

/** Headers of a request that say nothing of who sent it. */
const requestHeaders = [
  'accept',
  'accept-language',
  'content-type',
  'if-modified-since',
  'if-none-match',
  'user-agent',
];

/** What a page in another process is told of a request: no cookies, and no other credentials. */
export async function sentRequest({ method, url, headers, body }: Request): Promise<SentRequest> {
  const kept = requestHeaders.flatMap((name): [string, string][] => {
    const value = headers.get(name);
    return value === null ? [] : [[name, value]];
  });
  return { method, url, headers: kept, body: body ? await bytesOf(body) : undefined };
}

async function bytesOf(body: ReadableStream<Uint8Array>): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  let length = 0;
  for await (const piece of body) {
    length += piece.length;
    if (length > mostBody) throw new SextantError('too_large', `a page takes ${mostBody} bytes at most`);
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}

const responseHeaders = [
  'cache-control',
  'content-disposition',
  'content-language',
  'content-type',
  'etag',
  'last-modified',
];

/**
 * A page of a plugin that is not trusted comes from the origin of all pages. Its scripts could do what its readers may
 * do. So the browser runs none, and treats it as of another origin: a form that it posts elsewhere is refused.
 */
const policy = [
  "default-src 'none'",
  "style-src 'self'",
  "img-src 'self' data:",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
  'sandbox allow-forms allow-downloads allow-popups allow-popups-to-escape-sandbox allow-top-navigation-by-user-activation',
].join('; ');

/** The answer of a page in another process, with what it may not send left out. Throws where it sends a script. */
export function pageAnswer(name: string, { status, headers, body }: AnswerOf<'page'>): Response {
  const kept = new Headers({ 'content-security-policy': policy });
  for (const [header, value] of headers) {
    if (header === 'content-type' && /script|wasm/i.test(value))
      throw new Error(`the page ${name} sends a script, which a page of an isolated plugin may not`);
    if (responseHeaders.includes(header)) kept.set(header, value);
    // To this server alone.
    if (header === 'location' && /^\/(?![/\\])/.test(value)) kept.set(header, value);
  }
  const isEmpty = [204, 205, 304].includes(status);
  return new Response(isEmpty ? null : new Uint8Array(body), { status, headers: kept });
}
