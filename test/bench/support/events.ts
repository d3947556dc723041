import type { CallRecord } from '@sextant/core';

export const tools = ['keyword_search', 'read_file', 'list_files', 'diff_search', 'find_references', 'nls_search'];
const endings = ['ts', 'py', 'go', 'java', 'rs'];
const clients = ['claude-code', 'cursor', 'vscode'];

/**
 * Calls of 300 users over 240 days, in the order of time. Each has a client (used for 95 % of the calls) and two languages
 * (90 %); the rest is any.
 */
export function eventOf(number: number, total: number): CallRecord {
  const user = random(number, 1) % 300;
  const client = random(number, 2) % 100 < 95 ? user : random(number, 3);
  const language = random(number, 4) % 100 < 90 ? user + (random(number, 5) % 2) : random(number, 6);
  return {
    kind: 'tool',
    name: tools[random(number, 7) % tools.length] ?? '',
    endpoint: '/.api/mcp',
    userId: 1 + user,
    clientName: clients[client % clients.length] ?? '',
    files: [`src/a.${endings[language % endings.length] ?? ''}`],
    startedAt: Date.UTC(2026, 0, 1) + Math.floor((number / total) * 240) * 86_400_000,
    milliseconds: random(number, 8) % 50,
    outcome: random(number, 9) % 40 === 0 ? 'not_found' : 'ok',
    credits: 0,
  };
}

/** A number that looks like chance and is the same every time (the finalizer of MurmurHash3). */
function random(number: number, salt: number): number {
  let hash = Math.imul(number + 1, 0x9e3779b1) ^ Math.imul(salt, 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
