import { randomBytes } from 'node:crypto';
import { SextantError } from '@sextant/core';

/** 192 bits, so that nobody finds a conversation by guessing. */
export const newToken = (): string => randomBytes(24).toString('base64url');

const tokenForm = /^[\w-]{32}$/;

/** The read token in an identifier: the token itself, or the address of the page, shared or not. */
export function tokenOf(identifier: string): string {
  const address = /^https?:\/\/[^/?#]+(?:\/[^?#]*)?\/deepsearch\/(?:shared\/)?([^/?#]+?)(?:\.md)?\/?(?:[?#].*)?$/.exec(
    identifier.slice(0, 4096),
  );
  const token = address?.[1] ?? identifier;
  if (!tokenForm.test(token)) throw unknownConversation();
  return token;
}

/** The same for everything that is not there for the caller. */
export const unknownConversation = (): SextantError =>
  new SextantError(
    'not_found',
    'there is no such conversation, or it is not shared with you; give the identifier or link that deepsearch returned',
  );
