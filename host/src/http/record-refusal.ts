import type { ErrorCode, SextantError } from '@sextant/core';
import type { H3Event } from 'h3';
import type { ListenerState } from './listener-state.ts';
import { callerBehind, remoteAddressOf } from './request-context.ts';

/** Refusals that have to do with who asked. */
const recorded: readonly ErrorCode[] = ['unauthenticated', 'insufficient_scope', 'forbidden'];

/** Tells whoever wants to know that a request was turned away. One without credentials only asks how to get some. */
export function recordRefusal(event: H3Event, { code, message }: SextantError, state: ListenerState): void {
  const generation = state.serving.current;
  if (!generation.refusals || !recorded.includes(code)) return;
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
