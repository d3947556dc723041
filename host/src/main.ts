import { Console } from 'node:console';
import { enableCompileCache, getCompileCacheDir } from 'node:module';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { leaveClosedFolder } from './commands/options/current-folder.ts';
import { trustNearModules } from './plugins/near-modules.ts';

// Halves the time of a start. Our own folder: what lies in a shared temporary folder could be anyone's code.
enableCompileCache(fileURLToPath(new URL('../node_modules/.cache/compiled', import.meta.url)));
// Threads look for it here; the name below that folder is Node's.
const compiled = getCompileCacheDir();
if (compiled !== undefined) process.env['NODE_COMPILE_CACHE'] = dirname(compiled);
trustNearModules();
// Standard output is for answers and for the protocol: what a plugin prints goes to standard error.
globalThis.console = new Console(process.stderr);
// A property on the prototype of all objects breaks whatever goes through keys: who adds one fails, at that line.
for (const { prototype } of [Object, Array, Function, String]) Object.preventExtensions(prototype);
leaveClosedFolder();
const { runProgram } = await import('./commands/program.ts');

// Whoever reads our output may have seen enough: `sextant user list | head -1`.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit(0);
});

process.exitCode = await runProgram(process.argv.slice(2));
// What a plugin left open must not keep a finished process alive.
setTimeout(() => process.exit(), 1000).unref();
