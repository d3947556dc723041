import { describe, expect, test } from 'vitest';
import { createLog } from './log.ts';

/** What one call of the log writes. */
function written(write: (log: ReturnType<typeof createLog>) => void): string {
  let lines = '';
  write(createLog('info', { destination: { write: (line) => void (lines += line) } }));
  return lines;
}

const token = `sxt_${'0123456789'.repeat(4)}`;

describe('the log never contains a token', () => {
  test.each<[string, object, string]>([
    ['in a field named after it', { token: 'abc' }, ''],
    ['in a field of a field, at any depth', { request: { headers: { Authorization: 'Basic abc' } } }, ''],
    ['that is not a text', { a: { password: 12_345 } }, ''],
    ['with quotes in it', { secret: 'a"b\\' }, ''],
    ['in an error', { err: new Error(`bad ${token}`) }, ''],
    ['in the message', {}, `refused Bearer abcdefghijklmnopqrstuvwxyz`],
    ['of our form in any field', { url: `https://x/?t=${token}` }, `for ${token}`],
  ])('%s', (_case, fields, message) => {
    const line = written((log) => log.info(fields, message));
    expect(line).toContain('[redacted]');
    expect(line).not.toMatch(/abc|12345|a\\?"b|0123456789/);
    expect(() => JSON.parse(line)).not.toThrow();
  });
});

test('what is no credential is written as it is', () => {
  const line = written((log) => log.info({ tool: 'read_file', tokens: 12, user: 3 }, 'token create is the command'));
  expect(JSON.parse(line)).toMatchObject({
    level: 'info',
    tool: 'read_file',
    tokens: 12,
    user: 3,
    msg: 'token create is the command',
  });
});

test('lines below the level are not written', () => {
  expect(written((log) => log.debug({}, 'detail'))).toBe('');
});
