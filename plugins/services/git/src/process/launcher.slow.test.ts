import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { Launcher } from './launcher.ts';

it('says that too many files are open where the streams of a program are lost, and starts programs again later', async () => {
  const module = new URL('launcher.ts', import.meta.url).href;
  // The streams of the first program are closed before: each would give a descriptor back.
  const script = `const { once } = await import('node:events');
    const { closeSync, openSync } = await import('node:fs');
    const { launcher } = await import(${JSON.stringify(module)});
    const run = () => launcher.launch({ program: '/bin/sh', args: ['-c', 'sleep 60'], env: {}, isBackground: false });
    const first = await run();
    first.kill('SIGKILL');
    await first.ended;
    for (const stream of [first.stdin, first.stdout, first.stderr])
      if (!stream.destroy().closed) await once(stream, 'close');
    const open = [];
    try {
      for (;;) open.push(openSync('/dev/null', 'r'));
    } catch {}
    console.log(await run().then(() => 'it started', (error) => error.message + ': ' + error.cause.message));
    for (const file of open) closeSync(file);
    (await run()).kill('SIGKILL');
    console.log('it started');`;
  const limited = ['-c', 'ulimit -n 100; exec "$@"', 'sh', process.execPath, '--input-type=module', '--eval', script];
  const { stdout } = await promisify(execFile)('/bin/sh', limited, { cwd: import.meta.dirname });
  expect(stdout).toMatch(/^git could not be started; the server may have too many open files.*: .*\nit started\n$/);
});

it('loses no stream where the turns of the event loop are long, in each of which it takes up one', async () => {
  const launcher = new Launcher();
  const program = { program: '/bin/sh', args: ['-c', 'exit 7'], env: {}, isBackground: false };
  const running = Array.from({ length: 12 }, () => launcher.launch(program));
  const shared = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  const hold = (): void => void Atomics.wait(shared, 0, 0, 200);
  const holding = setInterval(hold);
  try {
    const ends = await Promise.all(running.map(async (each) => (await each).ended));
    expect(ends).toEqual(running.map(() => expect.objectContaining({ code: 7 })));
  } finally {
    clearInterval(holding);
  }
});
