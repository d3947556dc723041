import { SextantError } from '@sextant/core';
import { isCsrfTokenOf } from './csrf-token.ts';

const maxBytes = 64 * 1024;
const formType = 'application/x-www-form-urlencoded';

/** Checks that a request is a form of a page of this server. Throws `invalid_argument` or `forbidden`. */
export function requireOwnForm({ method, headers }: Request, externalURL: string): void {
  const [type] = (headers.get('content-type') ?? '').toLowerCase().split(';');
  if (method !== 'POST' || type?.trim() !== formType)
    throw new SextantError('invalid_argument', `a form is sent by POST as ${formType}`);
  const site = headers.get('sec-fetch-site');
  if ((site !== null && site !== 'same-origin') || !isOwnOrigin(headers, externalURL))
    throw new SextantError(
      'forbidden',
      'this form was not sent by a page of this server; open the page here and try again',
    );
}

/** Every browser of today sends the origin of a form. */
function isOwnOrigin(headers: Headers, externalURL: string): boolean {
  const sent = headers.get('origin');
  const origin = URL.parse(sent ?? '');
  return origin !== null && (origin.host === headers.get('host') || origin.origin === new URL(externalURL).origin);
}

/** The fields of a form. Throws `too_large` as soon as there is too much of it. */
export async function readFields({ body }: Request): Promise<URLSearchParams> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body ?? []) {
    size += chunk.byteLength;
    if (size > maxBytes) throw new SextantError('too_large', `a form may have ${maxBytes} bytes`);
    chunks.push(chunk);
  }
  return new URLSearchParams(Buffer.concat(chunks).toString('utf8'));
}

/** Throws `forbidden` unless a form carries the token that its page was given for the cookie with that secret. */
export function requireToken(sent: string | null, secret: string | undefined): void {
  if (secret === undefined || !isCsrfTokenOf(secret, sent ?? ''))
    throw new SextantError(
      'forbidden',
      'this form is too old or of another session; go back, reload the page and try again',
    );
}
