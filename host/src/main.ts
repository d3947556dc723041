import { runProgram } from './commands/program.ts';

// Whoever reads our output may have seen enough: `sextant user list | head -1`.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit(0);
});

process.exitCode = await runProgram(process.argv.slice(2));
// What a plugin left open must not keep a finished process alive.
setTimeout(() => process.exit(), 1000).unref();
