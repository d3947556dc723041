import type { ErrorCode } from '@sextant/core';
import type { H3Event } from 'h3';
import type { ListenerState } from './listening/listener-state.ts';
import type { RefusalReason } from '../metrics/telemetry.ts';
import { callerBehind, remoteAddressOf } from './request-context.ts';

/** Refusals that have to do with who asked. */
const recorded: readonly ErrorCode[] = ['unauthenticated', 'insufficient_scope', 'forbidden'];

/** What is refused: a request with its error, or a connection, which has no message and no caller yet. */
interface Refusal {
  readonly code: RefusalReason;
  readonly message?: string;
}

/**
 * Counts a refusal, and tells plugins that record who was refused. A connection has no event, and nobody is named for it.
 * A request without credentials only asks how to get some, so it is counted alone.
 */
export function recordRefusal(state: ListenerState, { code, message }: Refusal, event?: H3Event): void {
  state.telemetry.countRefusal(code);
  if (code === 'exhausted' && message !== undefined) state.tellOfLimit(message);
  if (event && message !== undefined && isAboutCaller(code)) tellRecorder(state, { code, message }, event);
}

const isAboutCaller = (code: RefusalReason): code is ErrorCode => recorded.some((each) => each === code);

function tellRecorder(
  state: ListenerState,
  { code, message }: { code: ErrorCode; message: string },
  event: H3Event,
): void {
  const generation = state.serving.current;
  if (!generation.refusals) return;
  if (code === 'unauthenticated' && !event.req.headers.has('authorization')) return;
  const caller = callerBehind(event);
  const remoteAddress = remoteAddressOf(event, generation);
  const userAgent = event.req.headers.get('user-agent');
  const clientName = caller && state.clientNames.of({ credential: caller.credential, userAgent });
  generation.refusals.refused({
    code,
    message,
    path: event.url.pathname,
    ...(caller && { caller }),
    ...(remoteAddress !== undefined && { remoteAddress }),
    ...(clientName !== undefined && { clientName }),
  });
}
