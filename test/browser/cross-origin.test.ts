import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { RepositoryBuilder, temporaryFolder } from '@sextant/contracts/testing';
import { chromium } from 'playwright-core';
import { expect, test } from 'vitest';
import { createViteServer } from 'vitest/node';
import { start } from '../../host/src/testing/run-sextant.ts';

/** What a browser client does, with the official SDK; run in the browser. */
const script = `
import { auth, Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';

window.connect = async (url, token) => {
  const requestInit = { headers: { authorization: 'Bearer ' + token } };
  const client = new Client({ name: 'page', version: '1' });
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit }));
  const { tools } = await client.listTools();
  const { content } = await client.callTool({ name: 'list_repos', arguments: { query: 'shop' } });
  const { name: server } = client.getServerVersion();
  await client.close();
  return { server, tools: tools.map(({ name }) => name), text: content[0].text };
};

window.challenge = async (url) => {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' });
  const response = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
  return { status: response.status, challenge: response.headers.get('www-authenticate') };
};

window.authorize = async (serverUrl) => {
  let client, sentTo;
  const provider = {
    redirectUrl: location.origin + '/callback',
    clientMetadata: {
      client_name: 'Page',
      redirect_uris: [location.origin + '/callback'],
      token_endpoint_auth_method: 'none',
    },
    clientInformation: () => client,
    saveClientInformation: (saved) => { client = saved; },
    tokens: () => undefined,
    saveTokens: () => {},
    saveCodeVerifier: () => {},
    codeVerifier: () => '',
    redirectToAuthorization: (url) => { sentTo = url.href; },
  };
  return { end: await auth(provider, { serverUrl }), sentTo };
};
window.isLoaded = true;
`;

/** A site of its own whose page has the SDK. Reached as 127.0.0.1 and as localhost it is of two origins. */
async function startSite(cacheDir: string): Promise<AsyncDisposable & { readonly port: number }> {
  const site = await createViteServer({
    root: import.meta.dirname,
    cacheDir,
    configFile: false,
    logLevel: 'silent',
    appType: 'custom',
    server: { host: '0.0.0.0', port: 0, hmr: false },
    optimizeDeps: { noDiscovery: true, include: ['@modelcontextprotocol/client'] },
    plugins: [
      {
        name: 'client-page',
        resolveId: (id) => (id === '/client.js' ? id : undefined),
        load: (id) => (id === '/client.js' ? script : undefined),
        configureServer: ({ middlewares }) => {
          middlewares.use('/page', (_request, response) => {
            response.setHeader('content-type', 'text/html');
            response.end('<!doctype html><script type="module" src="/client.js"></script>');
          });
        },
      },
    ],
  });
  await site.listen();
  const address = site.httpServer?.address();
  if (typeof address !== 'object' || !address) throw new Error('the site does not listen');
  return { port: address.port, [Symbol.asyncDispose]: () => site.close() };
}

test('a page of an origin that the operator names uses the official SDK, and no other page can', async () => {
  using folder = temporaryFolder();
  await using site = await startSite(join(folder.path, 'cache'));
  new RepositoryBuilder({ folder: join(folder.path, 'shop'), isBare: true }).commit({ files: { a: '1\n' } });
  const config = join(folder.path, 'sextant.config.json');
  const allowed = `http://127.0.0.1:${site.port}`;
  writeFileSync(config, JSON.stringify({ repositories: [{ path: 'shop' }], 'cors.allowedOrigins': [allowed] }));
  const options = { cwd: folder.path };
  const created = await start(['token', 'create', '--user', 'admin', '--config', config], options).ended;
  const [token = ''] = /sxt_\w+/.exec(created.stdout) ?? [];
  await using server = start(['serve', '--config', config, '--port', '0'], options);
  const [, url = ''] = await server.untilWritten('stdout', /Sextant serves (\S+)/);
  const executablePath = process.env['CHROMIUM'] ?? '/usr/bin/chromium';
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
  try {
    const page = await browser.newPage();
    const inPage = (call: string): Promise<unknown> =>
      page.evaluate(`window.${call}.catch((error) => ({ failed: String(error) }))`);
    const open = async (origin: string): Promise<void> => {
      await page.goto(`${origin}/page`);
      await page.waitForFunction('window.isLoaded');
    };

    await open(allowed);
    for (const endpoint of ['/.api/mcp', '/.api/mcp/all']) {
      expect(await inPage(`connect('${url}${endpoint}', '${token}')`)).toEqual({
        server: expect.stringMatching(/./),
        tools: expect.arrayContaining(['keyword_search', 'read_file']),
        text: expect.stringContaining('shop'),
      });
      expect(await inPage(`challenge('${url}${endpoint}')`)).toEqual({
        status: 401,
        challenge: expect.stringContaining(`/.well-known/oauth-protected-resource${endpoint}`),
      });
    }
    expect(await inPage(`authorize('${url}/.api/mcp')`)).toEqual({
      end: 'REDIRECT',
      sentTo: expect.stringContaining(`${url}/.auth/idp/oauth/authorize?`),
    });

    await open(allowed.replace('127.0.0.1', 'localhost'));
    for (const call of [
      `connect('${url}/.api/mcp', '${token}')`,
      `challenge('${url}/.api/mcp')`,
      `authorize('${url}/.api/mcp')`,
    ])
      expect(await inPage(call), call).toEqual({ failed: expect.any(String) });
  } finally {
    await browser.close();
  }
});
