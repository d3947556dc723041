import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { RequestListener } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo, Server } from 'node:net';
import { createServer as createPlainServer } from 'node:net';
import type { Fault, Lab, Served } from './lab.ts';

/** An address that no network has (RFC 5737). */
const lostAddress = '198.51.100.7';

async function listening(lab: Lab, server: Server, host = '127.0.0.1'): Promise<number> {
  server.listen(0, host);
  await once(server, 'listening');
  lab.whenOver(() => server.close());
  return (server.address() as AddressInfo).port;
}

/** A port that nobody listens at. */
async function deadPort(): Promise<number> {
  const server = createPlainServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

/** A server with a source at a Gitea that answers so. What it knew before is still served; no call of a tool needs the host. */
async function withHost(lab: Lab, url: string, environment = ''): Promise<Served> {
  lab.repository();
  lab.configure({
    sources: [{ type: 'gitea', name: 'forge', pollSeconds: 10, url, token: 'token-of-the-forge-0123456789' }],
  });
  const server = await lab.start({ limits: environment });
  server.asks = () => server.readiness();
  return server;
}

const answering = async (lab: Lab, answer: RequestListener): Promise<string> =>
  `http://127.0.0.1:${await listening(lab, createServer(answer))}`;

/** A certificate for 127.0.0.1 of so many days from then on, and its key. */
export function certificate(lab: Lab, from: string, days: number): { certificate: string; key: string } {
  const files = { certificate: lab.path('server.pem'), key: lab.path('server.key') };
  const subject = '-subj /CN=127.0.0.1 -addext subjectAltName=IP:127.0.0.1';
  const request = `req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days ${days} ${subject}`;
  const args = [...request.split(' '), '-keyout', files.key, '-out', files.certificate];
  execFileSync('faketime', [from, 'openssl', ...args], { stdio: 'ignore' });
  return files;
}

const clone = async (lab: Lab, url: string): Promise<Served> => {
  lab.configure({ repositories: [{ url, name: 'shop' }] });
  const server = await lab.start();
  server.asks = () => server.call('read_file', { repo: 'shop', path: 'a.ts' });
  return server;
};

export const hosts: readonly Fault[] = [
  {
    name: 'code host down',
    cause: /ECONNREFUSED|refused|does not answer|cannot be reached/i,
    make: async (lab) => withHost(lab, `http://127.0.0.1:${await deadPort()}`),
  },
  {
    name: 'code host without a name',
    cause: /ENOTFOUND|EAI_AGAIN|no such host|name/,
    make: (lab) => withHost(lab, 'http://forge.invalid'),
  },
  {
    name: 'certificate of the code host expired',
    cause: /certificate.*expired/i,
    async make(lab) {
      const files = certificate(lab, '2020-01-01', 10);
      const server = createSecureServer({ cert: readFileSync(files.certificate), key: readFileSync(files.key) });
      const port = await listening(lab, server);
      return withHost(lab, `https://127.0.0.1:${port}`, `export NODE_EXTRA_CA_CERTS=${files.certificate}`);
    },
  },
  {
    name: 'token of the code host revoked',
    cause: /401|token/,
    make: async (lab) =>
      withHost(lab, await answering(lab, (_request, response) => void response.writeHead(401).end('{"message":"no"}'))),
  },
  {
    name: 'limit of requests of the code host',
    cause: /429|limit/,
    make: async (lab) =>
      withHost(
        lab,
        await answering(lab, (_request, response) => void response.writeHead(429, { 'retry-after': '600' }).end('{}')),
      ),
  },
  {
    name: 'a page to sign in in place of the code host',
    cause: /JSON|not understood|unexpected/i,
    make: async (lab) =>
      withHost(
        lab,
        await answering(lab, (_request, response) => {
          response.writeHead(200, { 'content-type': 'text/html' }).end('<html>Please sign in</html>');
        }),
      ),
  },
  {
    name: 'network of the code host lost',
    cause: /EHOSTUNREACH|ENETUNREACH|ETIMEDOUT|EACCES|unreachable|timed? ?out|no route/i,
    async make(lab) {
      execFileSync('ip', ['address', 'add', `${lostAddress}/32`, 'dev', 'lo']);
      const away = (): void => void execFileSync('ip', ['address', 'del', `${lostAddress}/32`, 'dev', 'lo']);
      const forge = createServer((_request, response) => {
        response
          .writeHead(200, { 'content-type': 'application/json', 'x-total-count': '0' })
          .end('{"ok":true,"data":[]}');
      });
      const port = await listening(lab, forge, lostAddress);
      const server = await withHost(lab, `http://${lostAddress}:${port}`);
      away();
      execFileSync('ip', ['route', 'add', 'unreachable', lostAddress]);
      lab.whenOver(() => execFileSync('ip', ['route', 'del', 'unreachable', lostAddress]));
      return server;
    },
  },
  {
    name: 'clone from a host that is down',
    cause: /connect|refused|reach/i,
    make: async (lab) => clone(lab, `http://127.0.0.1:${await deadPort()}/shop.git`),
  },
  {
    name: 'clone that needs another login',
    cause: /does not accept the login/,
    make: async (lab) =>
      clone(
        lab,
        `${await answering(lab, (_request, response) => {
          response.writeHead(401, { 'www-authenticate': 'Basic realm="forge"' }).end();
        })}/shop.git`,
      ),
  },
  {
    name: 'clone of a repository that was deleted',
    cause: /not found|no such repository/i,
    make: async (lab) =>
      clone(lab, `${await answering(lab, (_request, response) => void response.writeHead(404).end())}/shop.git`),
  },
  {
    name: 'identity provider dead',
    cause: /provider/,
    async make(lab) {
      lab.repository();
      const issuer = `http://127.0.0.1:${await deadPort()}`;
      lab.configure({ plugins: { 'auth-oidc': { issuer, clientId: 'sextant' } } });
      const server = await lab.start();
      server.asks = async () => {
        const response = await fetch(`${server.started.url}/sign-in/oidc`, { redirect: 'manual' });
        return `${response.status} ${await response.text()}`.replaceAll(/<[^>]*>/g, ' ');
      };
      return server;
    },
  },
  {
    name: 'language model dead',
    cause: /language model|the model/i,
    async make(lab) {
      lab.repository();
      const baseURL = `http://127.0.0.1:${await deadPort()}/v1`;
      lab.configure({ languageModel: { provider: 'openai-compatible', baseURL, model: 'any' } });
      const server = await lab.start();
      server.asks = () => server.call('code_finder', { task: 'In shop: where is the needle made?' });
      return server;
    },
  },
  {
    name: 'collector of traces dead',
    cause: /traces cannot be sent/,
    instead: { answer: /needle = 1/ },
    async make(lab) {
      lab.repository();
      const url = `http://127.0.0.1:${await deadPort()}`;
      lab.configure({ plugins: { 'service-tracing': { otlp: { url, ratio: 1 } } } });
      return lab.start();
    },
  },
];
