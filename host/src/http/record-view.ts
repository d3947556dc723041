import { errorCodes } from '@sextant/core';
import type { Activity, Call, CallRecord } from '@sextant/core';
import type { H3Event } from 'h3';
import { statusOf } from './errors-http.ts';
import type { Generation } from '../server/generation.ts';
import type { MostNamed } from './most-named.ts';
import { whenClosed } from './request-context.ts';

interface View {
  kind: 'report' | 'page';
  name: string;
  call: Call;
  /** What a page did in place of tools; complete when the answer is. */
  counted?: readonly CountedTool[];
  /** What the page said that it is about. */
  repositories?: MostNamed;
}

/** What a page did in place of a tool. */
export interface CountedTool {
  readonly tool: string;
  readonly files: readonly string[];
}

/** The client's name in records of what people did in a browser. */
const browser = 'web';

/** Tells the recorder of a page or report once its answer is completely sent, or nobody wants it any more. */
export function recordView(
  { event, generation }: { event: H3Event; generation: Generation },
  { kind, name, call, counted = [], repositories }: View,
): void {
  const startedAt = Date.now();
  const started = performance.now();
  whenClosed(event, (isComplete) => {
    const view = {
      endpoint: call.endpoint,
      userId: call.caller.user.id,
      startedAt,
      milliseconds: performance.now() - started,
      outcome: isComplete ? outcomeOf(event.runtime?.node?.res?.statusCode ?? 200) : 'canceled',
      credits: 0,
    } as const;
    generation.recorder?.record({ ...view, kind, name, clientName: call.clientName, files: [] });
    const repository = repositories?.name;
    for (const { tool, files } of counted) {
      const activity = activityOf(tool, generation);
      generation.recorder?.record({
        ...view,
        kind: 'tool',
        name: tool,
        activity,
        clientName: browser,
        files,
        repository,
      });
    }
  });
}

const activityOf = (name: string, { assembly }: Generation): Activity =>
  assembly.plugins.flatMap(({ tools }) => tools).find((tool) => tool.name === name)?.activity ?? 'other';

function outcomeOf(status: number): CallRecord['outcome'] {
  if (status < 400) return 'ok';
  return errorCodes.find((code) => statusOf[code] === status) ?? 'internal';
}
