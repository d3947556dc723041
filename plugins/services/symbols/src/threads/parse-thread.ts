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

/** Throws, and so ends the thread, where a text breaks the parser: nobody knows what state that is in then. */
async function answer({ grammar, text, limit }: ParseRequest): Promise<ParseAnswer> {
  const reader = await readerOf(grammar).catch((error: unknown) => messageOf(error));
  if (typeof reader === 'string') return { failure: `the language "${grammar.name}" cannot be used: ${reader}` };
  const symbols = reader.read(text, limit);
  return { packed: symbols && pack(symbols) };
}

async function answerAfter(before: Promise<void>, request: ParseRequest): Promise<void> {
  await before;
  const answered = await answer(request);
  parentPort?.postMessage(answered, 'packed' in answered && answered.packed ? [answered.packed.buffer] : []);
}

let last: Promise<void> = Promise.resolve();

parentPort?.on('message', (request: ParseRequest) => {
  last = answerAfter(last, request);
});
