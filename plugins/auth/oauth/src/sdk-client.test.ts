import { auth } from '@modelcontextprotocol/sdk/client/auth.js';
import { temporaryFolder } from '@sextant/contracts/testing';
import { expect, it } from 'vitest';
import { AgentProvider } from './testing/agent-provider.ts';
import { Browser } from './testing/browser.ts';
import { mcp } from './testing/client.ts';
import { startOAuth } from './testing/start-oauth.ts';

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
