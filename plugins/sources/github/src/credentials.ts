import { sign } from 'node:crypto';
import type { Credential } from '@sextant/library-host-api';
import type { GitHubApp } from './config.ts';

/** GitHub allows ten minutes, and its clock may be a little behind. */
const tokenSeconds = 540;
const behindSeconds = 60;

/** A GitHub App as itself (RS256, RFC 7519): to find its installations, and to get their tokens. */
export function appToken({ id, privateKey }: GitHubApp): Credential {
  return {
    async token() {
      const now = Math.floor(Date.now() / 1000);
      const claims = { iat: now - behindSeconds, exp: now + tokenSeconds, iss: id };
      const text = `${encoded({ alg: 'RS256', typ: 'JWT' })}.${encoded(claims)}`;
      return `${text}.${sign('RSA-SHA256', Buffer.from(text), privateKey).toString('base64url')}`;
    },
    forget: () => undefined,
    secrets: () => [privateKey],
  };
}

const encoded = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
