import { isFinal } from '@sextant/contracts';
import type { Conversation, Conversations } from '@sextant/contracts';
import { joinSignals, messageOf, timeoutSignal } from '@sextant/core';
import type { Call } from '@sextant/core';

/** Then the browser connects again, and is asked again who it is; meanwhile no server waits for it that wants to stop. */
const longestMs = 10_000;
/** Milliseconds until it does. */
const retryMs = 500;

export interface Watched {
  readonly conversations: Conversations;
  readonly call: Call;
  readonly identifier: string;
  readonly version: number;
  /** The part of the page that changes, as HTML. */
  render(conversation: Conversation): string;
}

/** Server-sent events (HTML, section 9.2): `change` with the new part of the page, and `end` when there is nothing more to come. */
export function liveEvents(watched: Watched): Response {
  const encoder = new TextEncoder();
  const events = eventsOf(watched);
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { value, done } = await events.next();
      if (done) controller.close();
      else controller.enqueue(encoder.encode(value));
    },
    cancel: async () => void (await events.return(undefined)),
  });
  return new Response(body, {
    headers: { 'content-type': 'text/event-stream', 'cache-control': 'no-store', 'x-accel-buffering': 'no' },
  });
}

async function* eventsOf({ conversations, call, identifier, version, render }: Watched): AsyncGenerator<string, void> {
  const late = timeoutSignal(longestMs);
  const signal = joinSignals(late, call.signal);
  let seen = version;
  yield `retry: ${retryMs}\n\n`;
  try {
    for (;;) {
      const changed = await conversations.next(call.caller, { identifier, version: seen }, signal);
      seen = changed.version;
      yield `id: ${seen}\nevent: change\ndata: ${JSON.stringify(render(changed))}\n\n`;
      if (isFinal(changed.status)) return yield 'event: end\ndata: {}\n\n';
    }
  } catch (error) {
    if (signal.aborted) return;
    call.log.debug({}, `a watcher leaves: ${messageOf(error)}`);
    yield 'event: end\ndata: {}\n\n';
  }
}
