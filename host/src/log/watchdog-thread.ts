import { writeSync } from 'node:fs';
import { Session } from 'node:inspector';
import type { Debugger } from 'node:inspector';
import { fileURLToPath } from 'node:url';
import { workerData } from 'node:worker_threads';

/** What the watched thread gave this one. */
interface Watched {
  beat: Int32Array;
  holdMs: number;
}

const { beat, holdMs }: Watched = workerData;
const lookMs = 500;
let seen = -1;
let since = performance.now();
let isTold = false;

setInterval(() => {
  const now = Atomics.load(beat, 0);
  if (now !== seen) {
    if (isTold) write('warn', { heldMs: Math.round(performance.now() - since) }, 'the process goes on');
    [seen, since, isTold] = [now, performance.now(), false];
  } else if (!isTold && performance.now() - since > holdMs) {
    isTold = true;
    void tell();
  }
}, lookMs);

/** Stops the held thread for a moment to see what it runs. */
async function tell(): Promise<void> {
  const session = new Session();
  session.connectToMainThread();
  const paused = new Promise<Debugger.CallFrame[]>((resolve) =>
    session.once('Debugger.paused', ({ params }) => resolve(params.callFrames)),
  );
  // A frame names its script by number; what is loaded is told at once.
  const urls = new Map<string, string>();
  session.on('Debugger.scriptParsed', ({ params }) => void urls.set(params.scriptId, params.url));
  session.post('Debugger.enable');
  session.post('Debugger.pause');
  const frames = await paused;
  const tools = await toolsInFlight(session, frames[0]);
  session.post('Debugger.resume');
  session.disconnect();
  const places = frames
    .map((frame) => placeOf(frame, urls.get(frame.location.scriptId) ?? frame.url))
    .filter((place) => place !== undefined);
  const seconds = Math.round((performance.now() - since) / 1000);
  const during = tools === '' ? '' : `; tools in flight: ${tools}`;
  write(
    'error',
    { stack: places.slice(0, 10) },
    `the process is held for ${seconds} s by ${places[0] ?? 'Node itself'}${during}`,
  );
}

function toolsInFlight(session: Session, frame: Debugger.CallFrame | undefined): Promise<string> {
  if (!frame) return Promise.resolve('');
  const expression = `globalThis[Symbol.for('sextant.tools-in-flight')]?.().join(', ')`;
  return new Promise((resolve) =>
    session.post('Debugger.evaluateOnCallFrame', { callFrameId: frame.callFrameId, expression }, (_error, answer) =>
      resolve(String(answer?.result.value ?? '')),
    ),
  );
}

/** `file:line (function)`; undefined for what is Node's. */
function placeOf({ functionName, location }: Debugger.CallFrame, url: string): string | undefined {
  if (!url.startsWith('file:')) return undefined;
  const file = fileURLToPath(url.replace(/\?.*$/, ''));
  return `${file}:${location.lineNumber + 1}${functionName === '' ? '' : ` (${functionName})`}`;
}

/** In the form of the log, whose own thread is held. */
function write(level: string, fields: object, msg: string): void {
  writeSync(2, `${JSON.stringify({ level, time: new Date().toISOString(), ...fields, msg })}\n`);
}
