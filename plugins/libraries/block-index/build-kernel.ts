// Compiles assembly/ into src/kernel/kernel.wasm: `node build-kernel.ts`. The result is committed; src/kernel/kernel.test.ts rebuilds and compares it.
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import asc from 'assemblyscript/asc';

const packageFolder = import.meta.dirname;
const options = [
  '-O3 --noAssert --runtime stub --use abort=',
  '--enable simd --enable threads --enable bulk-memory',
  '--importMemory --sharedMemory --initialMemory 2 --maximumMemory 65536',
].flatMap((group) => group.split(' '));

/** The kernel's bytes, compiled from its sources; throws what the compiler says. */
export async function buildKernel(): Promise<Uint8Array> {
  let compiled: Uint8Array | undefined;
  const { error, stderr } = await asc.main(['kernel.ts', ...options, '--outFile', 'kernel.wasm'], {
    readFile: (name, folder) => readFile(join(packageFolder, 'assembly', folder, name), 'utf8').catch(() => null),
    writeFile: (_, contents) => {
      if (typeof contents !== 'string') compiled = contents;
    },
  });
  if (error || !compiled) throw new Error(`the kernel does not compile: ${stderr.toString()}`, { cause: error });
  return compiled;
}

if (import.meta.main) await writeFile(join(packageFolder, 'src', 'kernel', 'kernel.wasm'), await buildKernel());
