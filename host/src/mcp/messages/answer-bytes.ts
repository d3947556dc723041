import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';

/**
 * The message that answers a request, as JSON in UTF-8. The text of a tool and its structured content become bytes
 * separately. One character beyond Latin-1 doubles the memory of a JavaScript string and slows its conversion, and only
 * the text has such characters.
 */
export function answerBytes(answer: JSONRPCMessage): Buffer<ArrayBuffer> {
  if (!('result' in answer)) return Buffer.from(JSON.stringify(answer));
  const { result, ...message } = answer;
  const parts = [JSON.stringify(message).slice(0, -1), ',"result":{'];
  let comma = '';
  for (const [key, value] of Object.entries(result)) {
    const text = JSON.stringify(value);
    // As in JSON, what is undefined is left out.
    if (text === undefined) continue;
    parts.push(`${comma}${JSON.stringify(key)}:`, text);
    comma = ',';
  }
  return joined([...parts, '}}']);
}

/** Bytes of UTF-8 that a code unit takes at most. */
const mostBytes = 3;

/** Into more room than they take: to count their bytes before takes as long as to write them. */
function joined(parts: readonly string[]): Buffer<ArrayBuffer> {
  const bytes = Buffer.allocUnsafe(parts.reduce((sum, { length }) => sum + mostBytes * length, 0));
  let at = 0;
  for (const part of parts) at += bytes.write(part, at);
  return bytes.subarray(0, at);
}
