import { expect, test } from 'vitest';
import { answerBytes } from './answer-bytes.ts';

test.each([
  {
    content: [{ type: 'text', text: 'größer – 😀 "\\\n\u2028' }],
    structuredContent: { blocks: [{ file: 'é' }], '– "': 1 },
  },
  { content: [], structuredContent: undefined, isError: true },
  { content: ['\ud800'] },
  {},
])('an answer of %j is its JSON in UTF-8, whatever letters it has', (result) => {
  for (const id of [7, 'sïx "7"']) {
    const answer = { jsonrpc: '2.0', id, result } as const;
    const bytes = answerBytes(answer);
    expect(JSON.parse(bytes.toString())).toEqual(JSON.parse(JSON.stringify(answer)));
    expect(Buffer.from(bytes.toString())).toEqual(bytes);
  }
});

test('so is an error', () => {
  const answer = { jsonrpc: '2.0', id: 1, error: { code: -32602, message: 'größer' } } as const;
  expect(answerBytes(answer).toString()).toBe(JSON.stringify(answer));
});
