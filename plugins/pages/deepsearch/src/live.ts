import { isFinal } from '@sextant/contracts';
import type { Conversation, Conversations } from '@sextant/contracts';
import { messageOf } from '@sextant/core';
import type { Call } from '@sextant/core';

/** Proxies close connections that are silent for a minute. */
const quietMs = 15_000;
/** Then the browser connects again, so that no answer holds a server that wants to stop. */
const longestMs = 120_000;

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
  const until = Date.now() + longestMs;
  let seen = version;
  while (Date.now() < until) {
    const quiet = AbortSignal.timeout(quietMs);
    try {
      const changed = await conversations.next(
        call.caller,
        { identifier, version: seen },
        AbortSignal.any([quiet, call.signal]),
      );
      seen = changed.version;
      yield `id: ${seen}\nevent: change\ndata: ${JSON.stringify(render(changed))}\n\n`;
      if (isFinal(changed.status)) return yield 'event: end\ndata: {}\n\n';
    } catch (error) {
      if (call.signal.aborted) return;
      if (!quiet.aborted) {
        call.log.debug({}, `a watcher leaves: ${messageOf(error)}`);
        return yield 'event: end\ndata: {}\n\n';
      }
      yield ': nothing new\n\n';
    }
  }
}
