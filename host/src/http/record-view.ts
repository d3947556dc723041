import { errorCodes } from '@sextant/core';
import type { Call, CallRecord } from '@sextant/core';
import type { H3Event } from 'h3';
import { statusOf } from './errors-http.ts';
import type { Generation } from '../server/generation.ts';
import { whenClosed } from './request-context.ts';

interface View {
  kind: 'report' | 'page';
  name: string;
  call: Call;
}

/** Tells the recorder of a page or report once its answer is completely sent, or nobody wants it any more. */
export function recordView(
  { event, generation }: { event: H3Event; generation: Generation },
  { kind, name, call }: View,
): void {
  const startedAt = Date.now();
  const started = performance.now();
  whenClosed(event, (isComplete) =>
    generation.recorder?.record({
      kind,
      name,
      endpoint: call.endpoint,
      userId: call.caller.user.id,
      clientName: call.clientName,
      files: [],
      startedAt,
      milliseconds: performance.now() - started,
      outcome: isComplete ? outcomeOf(event.runtime?.node?.res?.statusCode ?? 200) : 'canceled',
      credits: 0,
    }),
  );
}

function outcomeOf(status: number): CallRecord['outcome'] {
  if (status < 400) return 'ok';
  return errorCodes.find((code) => statusOf[code] === status) ?? 'internal';
}
