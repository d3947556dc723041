import { parentPort } from 'node:worker_threads';
import { messageOf } from '@sextant/core';
import { pack } from '../stored/packed-symbols.ts';
import { SyntaxReader } from './syntax-reader.ts';
import type { Grammar, ParseAnswer, ParseRequest } from './protocol.ts';

const readers = new Map<string, Promise<SyntaxReader>>();

function readerOf(grammar: Grammar): Promise<SyntaxReader> {
  const reader = readers.get(grammar.name) ?? SyntaxReader.load(grammar);
  readers.set(grammar.name, reader);
  return reader;
}

async function answer({ id, grammar, text, limit }: ParseRequest): Promise<ParseAnswer> {
  try {
    const reader = await readerOf(grammar);
    const symbols = reader.read(text, limit);
    return { id, packed: symbols && pack(symbols) };
  } catch (error) {
    return { id, failure: `the language "${grammar.name}" cannot be used: ${messageOf(error)}` };
  }
}

parentPort?.on('message', async (request: ParseRequest) => {
  const answered = await answer(request);
  parentPort?.postMessage(answered, 'packed' in answered && answered.packed ? [answered.packed.buffer] : []);
});
