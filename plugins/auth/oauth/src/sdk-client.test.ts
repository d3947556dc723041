import { auth } from '@modelcontextprotocol/sdk/client/auth.js';
import type { OAuthClientProvider } from '@modelcontextprotocol/sdk/client/auth.js';
import type { OAuthClientInformationMixed, OAuthTokens } from '@modelcontextprotocol/sdk/shared/auth.js';
import { temporaryFolder } from '@sextant/contracts/testing';
import { expect, it } from 'vitest';
import { Browser } from './testing/browser.ts';
import { callback, mcp } from './testing/client.ts';
import { startOAuth } from './testing/start-oauth.ts';

/** What an agent's own client keeps; it knows nothing but the URL of an endpoint. */
class AgentProvider implements OAuthClientProvider {
  readonly redirectUrl = callback;
  readonly clientMetadata = {
    client_name: 'Agent',
    redirect_uris: [callback],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
  };
  sentTo: URL | undefined;
  kept: OAuthTokens | undefined;
  #client: OAuthClientInformationMixed | undefined;
  #verifier = '';

  state(): string {
    return 'state';
  }
  clientInformation(): OAuthClientInformationMixed | undefined {
    return this.#client;
  }
  saveClientInformation(client: OAuthClientInformationMixed): void {
    this.#client = client;
  }
  tokens(): OAuthTokens | undefined {
    return this.kept;
  }
  saveTokens(tokens: OAuthTokens): void {
    this.kept = tokens;
  }
  redirectToAuthorization(url: URL): void {
    this.sentTo = url;
  }
  saveCodeVerifier(verifier: string): void {
    this.#verifier = verifier;
  }
  codeVerifier(): string {
    return this.#verifier;
  }
}

it.each(['', '/all', '/review'])(
  'the official SDK connects to /.api/mcp%s with nothing but the URL, and renews its token',
  async (below) => {
    using folder = temporaryFolder();
    await using server = await startOAuth(folder.path);
    const provider = new AgentProvider();
    const options = { serverUrl: mcp + below, fetchFn: server.fetch };
    expect(await auth(provider, options)).toBe('REDIRECT');

    const browser = new Browser(server);
    await browser.signIn('alice');
    const asked = await browser.open(provider.sentTo ?? '');
    const { url } = await browser.send(asked, { decision: 'allow' });
    expect(await auth(provider, { ...options, authorizationCode: url.searchParams.get('code') ?? '' })).toBe(
      'AUTHORIZED',
    );
    const first = provider.kept?.access_token ?? '';
    expect(await server.show(first, `/.api/mcp${below}`)).toMatchObject({ user: { name: 'alice' } });

    expect(await auth(provider, options)).toBe('AUTHORIZED');
    const second = provider.kept?.access_token ?? '';
    expect(second).not.toBe(first);
    expect(await server.show(second, `/.api/mcp${below}`)).toMatchObject({ user: { name: 'alice' } });
  },
);
