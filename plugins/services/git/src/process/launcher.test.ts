import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { metered } from '@sextant/core';
import { expect, it, onTestFinished, vi } from 'vitest';
import { Launcher } from './launcher.ts';
import type { LaunchedProgram } from './launcher.ts';

const shell = (script: string, env: NodeJS.ProcessEnv = {}) => ({
  program: '/bin/sh',
  args: ['-c', script],
  env,
  isBackground: false,
});

/** Ids of the processes whose command line has this text. */
const processesWith = (mark: string): number[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(mark) && stateOf(pid) !== 'Z';
      } catch {
        return false;
      }
    })
    .map(Number);

const stateOf = (pid: string): string => readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.[0] ?? '';
const parentOf = (pid: number): number =>
  Number(readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ')[1]);

const outputOf = async ({ stdin, stdout }: LaunchedProgram, input = ''): Promise<string> => {
  stdin.end(input);
  return text(stdout);
};

it('runs a program with its streams, its end and no variable but its own', async () => {
  const launcher = new Launcher();
  const program = await launcher.launch(shell('cat; echo more >&2; exec /usr/bin/env', { ONLY: 'this' }));
  const errors = text(program.stderr);
  const large = 'x'.repeat(1_000_000);
  const lines = (await outputOf(program, large)).split('\n');
  expect(lines[0]?.startsWith(large)).toBe(true);
  expect(
    lines
      .join('\n')
      .slice(large.length)
      .split('\n')
      .filter((line) => line && !/^(PWD|_|SHLVL)=/.test(line)),
  ).toEqual(['ONLY=this']);
  expect(await errors).toBe('more\n');
  expect(await program.ended).toMatchObject({ code: 0 });
  expect(await (await launcher.launch(shell('exit 7'))).ended).toMatchObject({ code: 7 });
});

it('tells what a program had of the processor to the meter of who asked', async () => {
  const launcher = new Launcher();
  const add = vi.fn();
  // Some hundredths of a second on any machine: less is not counted.
  const busy = shell('i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done');
  await (await metered({ add }, () => launcher.launch(busy))).ended;
  await (await launcher.launch(shell('true'))).ended;
  expect(add.mock.calls).toEqual([[expect.any(Number)]]);
  expect(add.mock.calls[0]?.[0]).toBeGreaterThan(0);
});

it('waits for no time where a program ends before its streams have arrived', async () => {
  const launcher = new Launcher();
  await (await launcher.launch(shell('true'))).ended;
  vi.useFakeTimers({ toFake: ['setTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const running = Array.from({ length: 10 }, () => launcher.launch(shell('exit 7')));
  // They have been asked for, and the news of their streams and of their end come together.
  await new Promise(process.nextTick);
  execFileSync('/bin/sleep', ['0.3']);
  const ends = await Promise.all(running.map(async (program) => (await program).ended));
  expect(ends.map(({ code }) => code)).toEqual(running.map(() => 7));
});

it('starts many programs at once and mixes up no streams', async () => {
  const launcher = new Launcher();
  const numbers = Array.from({ length: 50 }, (_, number) => `n${number}`);
  const outputs = await Promise.all(
    numbers.map(async (number) => outputOf(await launcher.launch(shell('cat')), number)),
  );
  expect(outputs).toEqual(numbers);
});

it('is a process of its own, starts again when it was killed, and ends what it had started', async () => {
  const launcher = new Launcher();
  const mark = `60.0${process.pid}`;
  const running = await launcher.launch(shell(`sleep ${mark} & wait`));
  const leader = processesWith(`-c\0sleep ${mark} & wait`)[0] ?? 0;
  const helper = parentOf(leader);
  expect(helper).not.toBe(process.pid);
  process.kill(helper, 'SIGKILL');
  expect(await running.ended).toMatchObject({
    code: null,
    error: expect.objectContaining({ message: expect.stringContaining('SIGKILL') }),
  });
  await expect.poll(() => processesWith(mark)).toEqual([]);
  expect(await outputOf(await launcher.launch(shell('cat')), 'again')).toBe('again');
});

it('ends a whole group of processes', async () => {
  const launcher = new Launcher();
  const mark = `61.0${process.pid}`;
  const running = await launcher.launch(shell(`sleep ${mark} & wait`));
  await expect.poll(() => processesWith(mark).length).toBeGreaterThan(1);
  running.kill('SIGKILL');
  expect(await running.ended).toMatchObject({ signal: 'SIGKILL' });
  await expect.poll(() => processesWith(mark)).toEqual([]);
});

it('ends with the server, and git with it, however the server ends', async () => {
  const mark = `62.0${process.pid}`;
  const module = new URL('launcher.ts', import.meta.url).href;
  const script = `
    const { launcher } = await import(${JSON.stringify(module)});
    await launcher.launch({ program: '/bin/sh', args: ['-c', 'sleep ${mark}; true'], env: {}, isBackground: false });
    console.log('running');`;
  const server = spawn(process.execPath, ['--input-type=module', '--eval', script], { cwd: import.meta.dirname });
  await once(server.stdout, 'data');
  const leader = processesWith(`-c\0sleep ${mark}`)[0] ?? 0;
  const helper = parentOf(leader);
  server.kill('SIGKILL');
  await expect.poll(() => [existsSync(`/proc/${helper}`), processesWith(mark)]).toEqual([false, []]);
});

it('says so where a program cannot be started, and does not keep its own process alive', async () => {
  const launcher = new Launcher();
  const missing = { program: '/no/such/program', args: [], env: {}, isBackground: false };
  await expect(launcher.launch(missing)).rejects.toMatchObject({
    code: 'unavailable',
    message: expect.stringContaining('could not be started'),
    cause: expect.objectContaining({ message: expect.stringContaining('ENOENT') }),
  });
  const module = new URL('launcher.ts', import.meta.url).href;
  const script = `const { launcher } = await import(${JSON.stringify(module)});
    const { ended } = await launcher.launch({ program: '/bin/sh', args: ['-c', 'true'], env: {}, isBackground: false });
    console.log((await ended).code);`;
  const alone = spawn(process.execPath, ['--input-type=module', '--eval', script], { cwd: import.meta.dirname });
  expect(await text(alone.stdout)).toBe('0\n');
});

it('gives no stream to who does not know its secret', async () => {
  // Servers of others may be stopped.
  const others = launcherNames();
  const launcher = new Launcher();
  const running = await launcher.launch(shell('cat'));
  const names = [...launcherNames()].filter((name) => !others.has(name));
  expect(names.length).toBeGreaterThan(0);
  for (const name of names) {
    await untilRefused(`\0${name}`, `${'0'.repeat(32)}0000000000010echo`);
    await untilRefused(`\0${name}`, Buffer.alloc(100, 0xff));
  }
  expect(await outputOf(running, 'mine')).toBe('mine');
});

const launcherNames = (): Set<string> => {
  const listening = readFileSync('/proc/net/unix', 'utf8').matchAll(/@(sextant-[0-9a-f]{32})/g);
  return new Set(listening.map(([, name = '']) => name));
};

/** Also where the launcher of another test has ended meanwhile. */
const untilRefused = (path: string, said: string | Buffer): Promise<void> =>
  new Promise((resolve) => {
    const stranger = connect({ path });
    stranger.on('error', () => undefined).on('close', () => resolve());
    stranger.resume().end(said);
  });
