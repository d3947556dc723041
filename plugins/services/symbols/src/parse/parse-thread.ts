import { messageOf } from '@sextant/core';
import { answerRequests, moving } from '@sextant/library-workers/thread';
import type { IsCanceled } from '@sextant/library-workers/thread';
import { parsedFile } from '../limits.ts';
import type { FileSyntax } from './file-symbols.ts';
import { pack } from './packed-symbols.ts';
import type { Grammar, ParseAnswer, ParseRequest } from './parse-pool.ts';
import { SyntaxReader } from './syntax-reader.ts';

const readers = new Map<string, Promise<SyntaxReader>>();

function readerOf(grammar: Grammar): Promise<SyntaxReader> {
  const reader = readers.get(grammar.name) ?? SyntaxReader.load(grammar);
  readers.set(grammar.name, reader);
  return reader;
}

/** Whether a file must be generated. Its symbols are not kept. */
function hasTooMany({ definitions, references }: FileSyntax): boolean {
  if (definitions.length > parsedFile.definitions) return true;
  if (definitions.length * references.length <= parsedFile.pairs) return false;
  const defined = countsOf(definitions);
  return [...countsOf(references)].some(([name, uses]) => uses * (defined.get(name) ?? 0) > parsedFile.pairs);
}

function countsOf(all: readonly { readonly name: string }[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { name } of all) counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
}

/** Throws if a text breaks the parser. That ends the thread, since the state of the parser is unknown then. */
async function answer({ grammar, text, limit }: ParseRequest, isCanceled: IsCanceled): Promise<ParseAnswer> {
  if (isCanceled()) return { packed: undefined };
  // The loader of grammars throws some errors without a message.
  const reader = await readerOf(grammar).catch(
    (error: unknown) => messageOf(error) || 'its grammar is no WebAssembly module that tree-sitter can load',
  );
  if (typeof reader === 'string') return { failure: `the language "${grammar.name}" cannot be used: ${reader}` };
  const symbols = reader.read(text, limit, isCanceled);
  const packed = symbols && (hasTooMany(symbols) ? new Uint8Array() : pack(symbols));
  return moving({ packed }, packed ? [packed.buffer] : []);
}

answerRequests(answer);
