import { HostApi, RenewedToken, fixedToken } from '@sextant/library-host-api';
import type { Credential, HostApiOptions } from '@sextant/library-host-api';
import type { BitbucketConfig } from '../config.ts';
import { renewedToken } from './answers.ts';

/** Who this server is at Bitbucket Cloud. */
export interface CloudCredential extends Credential {
  /** The value of `Authorization`. */
  authorization(signal: AbortSignal): Promise<string>;
  /** What git signs in with besides the token. */
  readonly gitUsername: string;
}

interface TokensOfConsumers extends Pick<HostApiOptions, 'onWait'> {
  /** Where they are asked for. */
  readonly url: string;
}

/** An API token is of a person, and goes with their e-mail address; other tokens stand alone. */
export function credentialOf(config: BitbucketConfig, tokens: TokensOfConsumers): CloudCredential {
  const { token, username } = config;
  if (token !== undefined && username !== undefined)
    return {
      ...fixedToken(token),
      authorization: async () => basic(username, token),
      // App passwords, which Bitbucket takes no more, had names in the place of addresses.
      gitUsername: username.includes('@') ? 'x-bitbucket-api-token-auth' : username,
    };
  const credential = token === undefined ? consumerToken(config, tokens) : fixedToken(token);
  return {
    token: (signal) => credential.token(signal),
    forget: () => credential.forget(),
    secrets: () => [...credential.secrets(), ...(config.consumer ? [config.consumer.secret] : [])],
    authorization: async (signal) => `Bearer ${await credential.token(signal)}`,
    gitUsername: 'x-token-auth',
  };
}

/** The token that an OAuth consumer gets as itself (RFC 6749 section 4.4). */
function consumerToken({ consumer }: BitbucketConfig, { url, onWait }: TokensOfConsumers): Credential {
  const { key = '', secret = '' } = consumer ?? {};
  const api = new HostApi({
    baseURL: url,
    headers: async () => ({ authorization: basic(key, secret) }),
    secrets: () => [secret],
    onWait,
  });
  return new RenewedToken(async (signal) => {
    const body = new URLSearchParams({ grant_type: 'client_credentials' });
    const asked = { path: '/site/oauth2/access_token', body, schema: renewedToken, waits: false, signal };
    const { value } = await api.read(asked);
    return { token: value.access_token, expiresAt: Date.now() + value.expires_in * 1000 };
  });
}

const basic = (name: string, password: string): string =>
  `Basic ${Buffer.from(`${name}:${password}`).toString('base64')}`;
