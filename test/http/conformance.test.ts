import { execFile } from 'node:child_process';
import { mkdtemp, readFile, readdir, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { conformancePlugin } from './support/conformance-plugin.ts';
import { startCredentialsProxy } from './support/credentials-proxy.ts';
import { startServer } from './support/server.ts';

/** Scenarios of the official suite that a stateless server can pass: one that fails is a regression. */
const passing = [
  'server-initialize',
  'ping',
  'tools-list',
  'tools-call-simple-text',
  'tools-call-error',
  'tools-call-with-progress',
  'dns-rebinding-protection',
  'completion-complete',
  'resources-list',
  'resources-read-text',
  'resources-read-binary',
  'resources-templates-read',
  'prompts-list',
  'prompts-get-simple',
  'prompts-get-with-args',
];

const noContent = 'tools answer text and structured content only';
const noServerRequests = 'a stateless server asks its clients nothing';
const noSubscriptions = 'files change by commits: nothing announces them, and clients ask again';
const textPrompts = 'prompts are text only';
const noSession = 'a stateless server gives no session id, without which the suite warns and stops';
const noLogging = 'a stateless server has no log level of a session to keep; its log is the operator’s';

/** The others, each with the reason why it cannot pass: one that does pass belongs above. */
const impossible: Readonly<Record<string, string>> = {
  'logging-set-level': noLogging,
  'tools-call-with-logging': noLogging,
  'tools-call-image': noContent,
  'tools-call-audio': noContent,
  'tools-call-embedded-resource': noContent,
  'tools-call-mixed-content': noContent,
  'tools-call-sampling': noServerRequests,
  'tools-call-elicitation': noServerRequests,
  'elicitation-sep1034-defaults': noServerRequests,
  'elicitation-sep1330-enums': noServerRequests,
  'json-schema-2020-12': 'tool schemas have plain types and neither $schema nor $defs, by the contract',
  'server-sse-multiple-streams': noSession,
  'server-sse-polling': noSession,
  'resources-subscribe': noSubscriptions,
  'resources-unsubscribe': noSubscriptions,
  'prompts-get-embedded-resource': textPrompts,
  'prompts-get-with-image': textPrompts,
};

interface Check {
  id: string;
  status: string;
  errorMessage?: string;
}

const program = createRequire(import.meta.url).resolve('@modelcontextprotocol/conformance/dist/index.js');

let folder: string;
let checks: ReadonlyMap<string, Check[]>;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sextant-conformance-'));
  checks = await runSuite();
}, 120_000);
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Runs the whole suite once, as its users do. */
async function runSuite(): Promise<Map<string, Check[]>> {
  const tools = conformancePlugin.tools.map(({ name }) => name);
  const path = '/.api/mcp/conformance';
  await using server = await startServer({ plugins: [conformancePlugin], settings: { endpoints: { [path]: tools } } });
  await using proxy = await startCredentialsProxy(server.url, 'alice-token');
  const options = ['server', '--suite', 'all', '--url', `${proxy.url}${path}`, '--output-dir', folder];
  // It exits 1 because of the scenarios that cannot pass; what counts is what it writes.
  await new Promise<void>((resolve) => execFile(process.execPath, [program, ...options], () => resolve()));
  const found = new Map<string, Check[]>();
  for (const entry of await readdir(folder))
    found.set(scenarioOf(entry), JSON.parse(await readFile(join(folder, entry, 'checks.json'), 'utf8')));
  return found;
}

/** `server-ping-2026-01-02T03-04-05-678Z` → `ping`. */
const scenarioOf = (entry: string): string => entry.replace(/^server-/, '').replace(/-\d{4}-\d{2}-\d{2}T[\d-]+Z$/, '');

/** What kept a scenario from passing: failures, warnings too. */
const faultsOf = (scenario: string): Check[] | undefined =>
  checks.get(scenario)?.filter(({ status }) => !/^(SUCCESS|INFO)$/.test(status));

test('every scenario of the suite is known here', () => {
  expect([...checks.keys()].toSorted()).toEqual([...passing, ...Object.keys(impossible)].toSorted());
});

describe('conforms', () => {
  test.each(passing)('%s', (scenario) => {
    expect(faultsOf(scenario)).toEqual([]);
    expect(checks.get(scenario)).toContainEqual(expect.objectContaining({ status: 'SUCCESS' }));
  });
});

describe('cannot conform', () => {
  test.each(Object.entries(impossible))('%s: %s', (scenario) => {
    expect(faultsOf(scenario)).not.toEqual([]);
  });
});
