// Loaded into a server before it starts (`--import`): measures how long its event loop is held. EVENT_LOOP_SOCKET is where it is asked.
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { Session } from 'node:inspector/promises';
import { isMainThread } from 'node:worker_threads';

const { EVENT_LOOP_SOCKET: socket } = process.env;
if (isMainThread && socket !== undefined) {
  // Programs that the server starts have an event loop of their own.
  delete process.env['EVENT_LOOP_SOCKET'];
  listen(socket);
}

/** Of a timer of one millisecond what it took from one call to the next, in milliseconds. */
interface Held {
  readonly passed: number;
  /** Of this thread: what other programs take of the processors does not count. */
  readonly worked: number;
}

/** Each request is answered with what was measured since the one before; between `begin` and `end`, a file, a profile is recorded. */
function listen(socket: string): void {
  const all: Held[] = [];
  let before = now();
  setInterval(() => {
    const after = now();
    all.push({ passed: after.passed - before.passed, worked: after.worked - before.worked });
    before = after;
  }, 1).unref();
  const session = new Session();
  session.connect();
  const server = createServer(async ({ url = '' }, response) => {
    const { searchParams } = new URL(url, 'http://localhost');
    const [begin, end] = [searchParams.get('begin'), searchParams.get('end')];
    const held = all.splice(0);
    if (begin !== null) {
      await session.post('Profiler.enable');
      await session.post('Profiler.start');
    }
    if (end !== null) writeFileSync(end, JSON.stringify((await session.post('Profiler.stop')).profile));
    response.end(JSON.stringify(held));
    // What the profile takes is not what the server does.
    before = now();
    all.length = 0;
  });
  server.listen(socket).unref();
}

function now(): Held {
  const { user, system } = process.threadCpuUsage();
  return { passed: performance.now(), worked: (user + system) / 1000 };
}
