import { execFile } from 'node:child_process';
import { mkdtemp, readFile, readdir, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { conformancePlugin } from './support/conformance-plugin.ts';
import { startCredentialsProxy } from './support/credentials-proxy.ts';
import { startServer } from './support/server.ts';

/** The revisions of both eras, of which the suite has what each requires. */
const revisions = ['2025-11-25', '2026-07-28'] as const;
type Revision = (typeof revisions)[number];

/** Scenarios of the official suite that a stateless server can pass: one that fails is a regression. */
const passing = [
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
const passingIn: Readonly<Record<Revision, readonly string[]>> = {
  '2025-11-25': [...passing, 'server-initialize', 'ping'],
  '2026-07-28': [
    ...passing,
    'server-sse-multiple-streams',
    'sep-2164-resource-not-found',
    'caching',
    'http-header-validation',
    'input-required-result-unsupported-methods',
    'input-required-result-validate-input',
  ],
};

const noContent = 'tools answer text and structured content only';
const noServerRequests = 'a stateless server asks its clients nothing';
const noSubscriptions = 'files change by commits: nothing announces them, and clients ask again';
const textPrompts = 'prompts are text only';
const noSession = 'a stateless server gives no session id, without which the suite stops';
const noLogging = 'a stateless server has no log level of a session to keep; its log is the operator’s';
const noTasks = 'what takes long is a conversation, which deepsearch_read polls with every client';
const plainSchemas = 'tool schemas have plain types and neither $schema nor $defs, by the contract';

/** The others, each with the reason why it cannot pass: one that does pass belongs above. */
const impossible: Readonly<Record<string, string>> = {
  'tools-call-image': noContent,
  'tools-call-audio': noContent,
  'tools-call-embedded-resource': noContent,
  'tools-call-mixed-content': noContent,
  'json-schema-2020-12': plainSchemas,
  'prompts-get-embedded-resource': textPrompts,
  'prompts-get-with-image': textPrompts,
};
const impossibleIn: Readonly<Record<Revision, Readonly<Record<string, string>>>> = {
  '2025-11-25': {
    ...impossible,
    'logging-set-level': noLogging,
    'tools-call-with-logging': noLogging,
    'tools-call-sampling': noServerRequests,
    'tools-call-elicitation': noServerRequests,
    'elicitation-sep1034-defaults': noServerRequests,
    'elicitation-sep1330-enums': noServerRequests,
    'server-sse-multiple-streams': noSession,
    'server-sse-polling': noSession,
    'server-session-lifecycle': noSession,
    'resources-subscribe': noSubscriptions,
    'resources-unsubscribe': noSubscriptions,
  },
  '2026-07-28': {
    ...impossible,
    'http-custom-header-server-validation': 'no argument of a tool is a header: a proxy has nothing to route by',
    ...Object.fromEntries(
      [
        'basic-elicitation',
        'basic-sampling',
        'basic-list-roots',
        'request-state',
        'multiple-input-requests',
        'multi-round',
        'non-tool-request',
        'result-type',
        'tampered-state',
        'capability-check',
        'missing-input-response',
        'ignore-extra-params',
      ].map((name) => [`input-required-result-${name}`, noServerRequests]),
    ),
    ...Object.fromEntries(
      [
        'lifecycle',
        'capability-negotiation',
        'wire-fields',
        'request-state-removal',
        'mrtr-input',
        'request-headers',
        'dispatch-and-envelope',
        'status-notifications',
        'required-task-error',
        'mrtr-composition',
      ].map((name) => [`tasks-${name}`, noTasks]),
    ),
  },
};

/** Passes but for these checks, which want tools that ask the client something, or that write to its log. */
const partly = {
  'server-stateless': [
    'sep-2575-http-server-no-independent-requests-on-stream',
    'sep-2575-missing-capability-http-400',
    'sep-2575-server-no-log-without-loglevel',
    'sep-2575-server-rejects-undeclared-capability',
  ],
};

interface Check {
  id: string;
  status: string;
  errorMessage?: string;
}

const program = createRequire(import.meta.url).resolve('@modelcontextprotocol/conformance/dist/index.js');

const checks = new Map<Revision, ReadonlyMap<string, Check[]>>();
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sextant-conformance-'));
  for (const revision of revisions) checks.set(revision, await runSuite(revision));
}, 240_000);
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Runs what a revision requires, as users of the suite do. */
async function runSuite(revision: Revision): Promise<Map<string, Check[]>> {
  const tools = conformancePlugin.tools.map(({ name }) => name);
  const path = '/.api/mcp/conformance';
  await using server = await startServer({ plugins: [conformancePlugin], settings: { endpoints: { [path]: tools } } });
  await using proxy = await startCredentialsProxy(server.url, 'alice-token');
  const written = join(folder, revision);
  const options = ['server', '--requirements', revision, '--url', `${proxy.url}${path}`, '--output-dir', written];
  // It exits 1 because of the scenarios that cannot pass; what counts is what it writes.
  await new Promise<void>((resolve) => execFile(process.execPath, [program, ...options], () => resolve()));
  const found = new Map<string, Check[]>();
  for (const entry of await readdir(written))
    found.set(scenarioOf(entry), JSON.parse(await readFile(join(written, entry, 'checks.json'), 'utf8')));
  return found;
}

/** `server-ping-2026-01-02T03-04-05-678Z` → `ping`. */
const scenarioOf = (entry: string): string => entry.replace(/^server-/, '').replace(/-\d{4}-\d{2}-\d{2}T[\d-]+Z$/, '');

/** What kept a scenario from passing: failures, warnings too. What a server does not declare is skipped. */
const faultsOf = (revision: Revision, scenario: string): Check[] | undefined =>
  checks
    .get(revision)
    ?.get(scenario)
    ?.filter(({ status }) => !/^(SUCCESS|INFO|SKIPPED)$/.test(status));

/** A scenario that finds nothing to try has neither. */
const hasSuccess = (revision: Revision, scenario: string): boolean =>
  checks
    .get(revision)
    ?.get(scenario)
    ?.some(({ status }) => status === 'SUCCESS') ?? false;

describe.each(revisions)('%s', (revision) => {
  const others = revision === '2026-07-28' ? Object.keys(partly) : [];

  test('every scenario of the suite is known here', () => {
    const known = [...passingIn[revision], ...Object.keys(impossibleIn[revision]), ...others];
    expect([...(checks.get(revision)?.keys() ?? [])].toSorted()).toEqual(known.toSorted());
  });

  test.each(passingIn[revision])('conforms: %s', (scenario) => {
    expect(faultsOf(revision, scenario)).toEqual([]);
    expect(hasSuccess(revision, scenario)).toBe(true);
  });

  test.each(Object.entries(impossibleIn[revision]))('cannot conform: %s: %s', (scenario) => {
    const faults = faultsOf(revision, scenario) ?? [];
    expect(faults.length === 0 && hasSuccess(revision, scenario)).toBe(false);
  });
});

test.each(Object.entries(partly))('conforms but for what it cannot be asked: %s', (scenario, ids) => {
  expect([...new Set(faultsOf('2026-07-28', scenario)?.map(({ id }) => id))].toSorted()).toEqual(ids);
});
