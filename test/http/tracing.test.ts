import { once } from 'node:events';
import { createServer } from 'node:http';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { silentLogger } from '@sextant/core';
import { RepositoryBuilder, temporaryFolder } from '@sextant/contracts/testing';
import { expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import tracing from '../../plugins/services/tracing/src/index.ts';
import { loadPreset } from '../support/preset.ts';
import { startServer } from './support/server.ts';
import type { TestServer, TestServerOptions } from './support/server.ts';

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
const parentId = '00f067aa0ba902b7';
const plugins = [...(await loadPreset(['service-git', 'service-search-index', 'tool-keyword-search'])), tracing];

/** As much as is looked at of what OTLP sends. */
const sent = z.object({
  resourceSpans: z.array(
    z.object({
      scopeSpans: z.array(
        z.object({
          spans: z.array(
            z.object({
              name: z.string(),
              traceId: z.string(),
              spanId: z.string(),
              parentSpanId: z.string().optional(),
            }),
          ),
        }),
      ),
    }),
  ),
});
type SentSpan = z.output<typeof sent>['resourceSpans'][number]['scopeSpans'][number]['spans'][number];

/** Takes traces, as a collector does. */
async function startCollector(): Promise<{ url: string; server: Server; spans: SentSpan[]; keys: Set<unknown> }> {
  const spans: SentSpan[] = [];
  const keys = new Set<unknown>();
  const server = createServer(async (request, response) => {
    keys.add(`${request.url} ${request.headers['x-key']}`);
    const { resourceSpans } = sent.parse(JSON.parse(await text(request)));
    for (const { scopeSpans } of resourceSpans) for (const scope of scopeSpans) spans.push(...scope.spans);
    response.setHeader('content-type', 'application/json').end('{}');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, server, spans, keys };
}

interface Line {
  readonly message: string;
  readonly fields: object;
}

async function start(settings: object): Promise<{ server: TestServer; options: TestServerOptions; lines: Line[] }> {
  const folder = temporaryFolder();
  new RepositoryBuilder({ folder: folder.path }).commit({ files: { 'secret-name.ts': 'export const answer = 42;\n' } });
  const lines: Line[] = [];
  const note = (fields: object, message: string): void => void lines.push({ message, fields });
  const options = {
    plugins,
    configs: {
      'service-git': { repositories: [{ path: folder.path, name: 'shop' }] },
      'service-tracing': settings,
    },
    log: { ...silentLogger, warn: note, info: note },
  };
  const server = await startServer(options);
  onTestFinished(async () => {
    await server.close();
    folder[Symbol.dispose]();
  });
  return { server, options, lines };
}

async function search({ url }: TestServer, { headers = {}, meta = {} } = {}): Promise<string> {
  const call = { name: 'keyword_search', arguments: { query: 'answer' }, _meta: meta };
  const response = await fetch(`${url}/.api/mcp`, {
    method: 'POST',
    headers: {
      authorization: 'Bearer alice-token',
      'content-type': 'application/json',
      accept: 'application/json',
      ...headers,
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: call }),
  });
  return response.text();
}

const headers = { traceparent: `00-${traceId}-${parentId}-00` };

test('a call and what it asks of services are spans of the trace that its caller names', async () => {
  const collector = await startCollector();
  const { server } = await start({ otlp: { url: `${collector.url}/`, headers: { 'x-key': 'abc' } } });
  expect(await search(server, { headers })).toContain('secret-name.ts');
  // It sends what it still has.
  await server.close();
  const call = collector.spans.find(({ name }) => name === 'tools/call keyword_search');
  expect(call).toMatchObject({ traceId, parentSpanId: parentId });
  expect(collector.spans).toContainEqual(
    expect.objectContaining({ name: 'search.find', traceId, parentSpanId: call?.spanId }),
  );
  expect([...collector.keys]).toEqual(['/v1/traces abc']);
  // Nobody's question, and no name of what was found.
  expect(JSON.stringify(collector.spans)).not.toMatch(/answer|secret-name|alice/);
});

test('a message may name its trace itself', async () => {
  const collector = await startCollector();
  const { server } = await start({ otlp: { url: collector.url } });
  await search(server, { meta: headers });
  await server.close();
  expect(collector.spans.find(({ name }) => name.startsWith('tools/call'))).toMatchObject({
    traceId,
    parentSpanId: parentId,
  });
});

test('a slow call is logged with what its time went into; nothing is sent where no collector is named', async () => {
  const { server, lines, options } = await start({ slowMilliseconds: 1 });
  await search(server);
  expect(lines.find(({ message }) => message === 'slow call')?.fields).toMatchObject({
    call: 'tools/call keyword_search',
    milliseconds: expect.any(Number),
    requestId: expect.stringMatching(/^[\w-]{36}$/),
    spent: { 'search.find': { calls: 1, milliseconds: expect.any(Number) } },
  });
  lines.length = 0;
  await server.reload({ ...options, configs: { ...options.configs, 'service-tracing': { slowMilliseconds: 60_000 } } });
  await search(server);
  expect(lines.filter(({ message }) => message === 'slow call')).toEqual([]);
});

test('no caller decides that a trace is sent', async () => {
  const collector = await startCollector();
  const { server, lines } = await start({ slowMilliseconds: 1, otlp: { url: collector.url, ratio: 0 } });
  await search(server, { headers: { traceparent: `00-${traceId}-${parentId}-01` } });
  expect(lines.map(({ message }) => message)).toContain('slow call');
  await server.close();
  expect(collector.spans).toEqual([]);
});

test('calls are answered while the collector is away, and /readyz says that it is', async () => {
  const collector = await startCollector();
  collector.server.close();
  const { server, lines } = await start({ otlp: { url: collector.url } });
  expect(await search(server)).toContain('secret-name.ts');
  const state = async (): Promise<unknown> =>
    (await fetch(`${server.url}/readyz`, { headers: { authorization: 'Bearer root-token' } })).json();
  await expect.poll(state).toMatchObject({
    services: { tracing: { isReady: true } },
    failed: [{ name: collector.url, reason: expect.stringMatching(/^traces cannot be sent: .*ECONNREFUSED/) }],
  });
  expect(lines.filter(({ message }) => message === 'traces cannot be sent')).toHaveLength(1);
});
