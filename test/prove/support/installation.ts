import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '@sextant/service-postgres/testing';
import type { ToolCall } from './calls.ts';

/** Of the repository that every host has. */
export const mixedCalls: readonly ToolCall[] = [
  { name: 'read_file', arguments: { repo: 'small', path: 'src/sample.ts' } },
  { name: 'code_finder', arguments: { task: 'In small: where is the sample made?' } },
  { name: 'keyword_search', arguments: { query: 'sample' } },
  { name: 'list_files', arguments: { repo: 'small' } },
];

interface Installation {
  folder: string;
  /** Of the balancer. */
  externalURL: string;
  database: { url: string; directURL?: string };
  /** Where a language model listens; absent: there is none. */
  model?: string;
}

/** Writes the configuration of all hosts; answers its file. */
export function configure({ folder, externalURL, database, model }: Installation): string {
  const file = join(folder, 'sextant.config.json');
  const day = (daysAway: number): string => new Date(Date.now() + daysAway * 86_400_000).toISOString().slice(0, 10);
  const config = {
    externalURL,
    logLevel: 'error',
    trustedProxies: ['127.0.0.1'],
    repositories: [{ path: join(folder, 'git') }],
    plugins: {
      'service-sqlite': false,
      'service-postgres': { ...database, secretKey: 'a key for proofs that has 32 characters' },
    },
    limits: { callsPerCaller: 100 },
    credits: [{ name: 'proof', allocation: 1_000_000, startDate: day(-1), endDate: day(2) }],
    ...(model !== undefined && {
      // Its silence must not end a question before a host dies.
      languageModel: { provider: 'openai-compatible', baseURL: model, model: 'slow', stallSeconds: 600 },
    }),
  };
  writeFileSync(file, JSON.stringify(config));
  return file;
}

export async function freePorts(count: number): Promise<number[]> {
  const ports = new Set<number>();
  while (ports.size < count) ports.add(await freePort());
  return [...ports];
}
