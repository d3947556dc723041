import { SextantError, isSextantError, oneLine } from '@sextant/core';
import type { Configuration, IDToken } from 'openid-client';
import type { Attempt } from './attempt.ts';
import type { ProviderConfig } from './config.ts';
import { discover } from './discover.ts';
import { githubConfiguration, githubIdentity, githubScopes } from './github.ts';
import { plainAddress } from './identity.ts';
import type { Claims, Identity } from './identity.ts';

/** How long the discovery document holds. */
const discoveryMs = 3_600_000;
/** Sign-ins whose code is exchanged at this moment: whoever sends many must not make this server flood the provider. */
const maxExchanges = 16;

/** The provider that people sign in with, found by its discovery document when it is first needed. */
export class Provider {
  readonly #config: ProviderConfig;
  readonly #redirectUri: string;
  /** At is a moment of a clock that nobody sets. */
  #found: { readonly at: number; readonly configuration: Promise<Configuration> } | undefined;
  #exchanges = 0;

  constructor(config: ProviderConfig, redirectUri: string) {
    this.#config = config;
    this.#redirectUri = redirectUri;
  }

  /** Where the browser goes. Throws `unavailable`. */
  async authorizationUrl({ state, nonce, codeVerifier }: Attempt, prompt?: 'login'): Promise<URL> {
    const { buildAuthorizationUrl, calculatePKCECodeChallenge } = await import('openid-client');
    const asked = {
      redirect_uri: this.#redirectUri,
      state,
      code_challenge: await calculatePKCECodeChallenge(codeVerifier),
      code_challenge_method: 'S256',
    };
    const own: Record<string, string> = this.#isGitHub
      ? { scope: githubScopes(this.#config).join(' '), ...(prompt && { prompt: 'select_account' }) }
      : { scope: this.#config.scopes.join(' '), nonce, ...(prompt && { prompt }) };
    return buildAuthorizationUrl(await this.#configuration(), { ...asked, ...own });
  }

  /** Who came back. Throws `forbidden` for an answer that is not good, `unavailable`, and `exhausted`. */
  async identify({ state, nonce, codeVerifier }: Attempt, answer: URLSearchParams): Promise<Identity> {
    if (this.#exchanges >= maxExchanges)
      throw new SextantError('exhausted', 'Too many people are signing in. Try again in a moment.', {
        retryAfterSeconds: 5,
      });
    const configuration = await this.#configuration();
    const { authorizationCodeGrant, fetchUserInfo } = await import('openid-client');
    this.#exchanges += 1;
    try {
      const tokens = await authorizationCodeGrant(configuration, new URL(`${this.#redirectUri}?${answer}`), {
        expectedState: state,
        pkceCodeVerifier: codeVerifier,
        ...(!this.#isGitHub && { expectedNonce: nonce, idTokenExpected: true }),
      });
      if (this.#isGitHub) return await githubIdentity(configuration, tokens.access_token, this.#config);
      const claims = tokens.claims();
      if (!claims) throw new Error('there is no ID token');
      const hasMore = configuration.serverMetadata().userinfo_endpoint !== undefined;
      const more = hasMore ? await fetchUserInfo(configuration, tokens.access_token, claims.sub) : {};
      return identityOf(claims, more);
    } catch (error) {
      if (isSextantError(error)) throw error;
      throw new SextantError('forbidden', refusalOf(error), { cause: error });
    } finally {
      this.#exchanges -= 1;
    }
  }

  get #isGitHub(): boolean {
    return this.#config.provider === 'github';
  }

  /** Asked again after an hour, and after a failure. */
  async #configuration(): Promise<Configuration> {
    if (!this.#found || this.#found.at + discoveryMs < performance.now())
      this.#found = {
        at: performance.now(),
        configuration: this.#isGitHub ? githubConfiguration(this.#config) : discover(this.#config),
      };
    const found = this.#found;
    try {
      return await found.configuration;
    } catch (error) {
      if (this.#found === found) this.#found = undefined;
      throw new SextantError('unavailable', 'The provider cannot be reached. Try again in a moment.', { cause: error });
    }
  }
}

function identityOf(token: IDToken, userInfo: Claims): Identity {
  // Address and proof from one place: each is worth nothing beside the other of somewhere else.
  const [email] = [token, userInfo].flatMap(({ email: given, email_verified: isVerified }) => {
    const address = plainAddress.safeParse(given);
    return address.success && (isVerified === true || isVerified === 'true') ? [address.data] : [];
  });
  const { iss: issuer, sub: subject } = token;
  return { issuer, subject, claims: { ...userInfo, ...token }, ...(email !== undefined && { email }) };
}

/** What the provider says itself is told in its words; what is wrong with its answer is for the log. */
function refusalOf(error: unknown): string {
  if (!(error instanceof Error) || !('error' in error) || typeof error.error !== 'string')
    return 'The answer of the provider could not be trusted. Try again.';
  const description = 'error_description' in error ? error.error_description : undefined;
  const said = typeof description === 'string' && description !== '' ? `: ${description}` : '';
  return `The provider did not let you in (${printable(error.error, 60)})${printable(said, 200)}`;
}

const printable = (text: string, length: number): string => oneLine(text).slice(0, length);
