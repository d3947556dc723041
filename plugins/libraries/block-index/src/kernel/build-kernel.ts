// Compiles assembly/ into kernel.wasm: `node build-kernel.ts`. The result is committed; kernel.test.ts builds it again and compares every byte.
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import asc from 'assemblyscript/asc';

const sources = join(import.meta.dirname, 'assembly');
const options = [
  '-O3 --noAssert --runtime stub --use abort=',
  '--enable simd --enable threads --enable bulk-memory',
  '--importMemory --sharedMemory --initialMemory 2 --maximumMemory 65536',
].flatMap((group) => group.split(' '));

/** The kernel's bytes, compiled from its sources; throws what the compiler says. */
export async function buildKernel(): Promise<Uint8Array> {
  let compiled: Uint8Array | undefined;
  const { error, stderr } = await asc.main(['kernel.ts', ...options, '--outFile', 'kernel.wasm'], {
    readFile: async (name, folder) => {
      const source = await readFile(join(sources, folder, name), 'utf8').catch(() => undefined);
      // A decorator before a function is no TypeScript: in a comment the formatter and the linter can read the file.
      return source?.replaceAll('/* @inline */', '@inline') ?? null;
    },
    writeFile: (_, contents) => {
      if (typeof contents !== 'string') compiled = contents;
    },
  });
  if (error || !compiled) throw new Error(`the kernel does not compile: ${stderr.toString()}`, { cause: error });
  return compiled;
}

if (import.meta.main) await writeFile(join(import.meta.dirname, 'kernel.wasm'), await buildKernel());
