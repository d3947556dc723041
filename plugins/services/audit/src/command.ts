import { Audit } from '@sextant/contracts';
import { defineCommand, oneLine, textTable } from '@sextant/core';
import { z } from 'zod';

const event = z.object({
  id: z.int(),
  time: z.string(),
  action: z.string(),
  outcome: z.enum(['success', 'failure']),
  actor: z.object({ id: z.int(), name: z.string() }).optional(),
  address: z.string().optional(),
  client: z.string().optional(),
  target: z.string().optional(),
  detail: z.string().optional(),
});

export const audit = defineCommand({
  name: 'audit',
  summary: 'show who signed in, failed to, and changed what, newest first',
  input: z.object({
    since: z.string().describe('At or after 2026-11-21 or 2026-11-21T08:30:00Z').optional(),
    until: z.string().describe('Before this time, or until the end of this day').optional(),
    outcome: z.enum(['success', 'failure']).describe('Only what succeeded, or failed').optional(),
    about: z.string().describe('Only with this part in the target, detail, address or client').optional(),
    action: z.string().describe('Only this, such as sign-in.failed').optional(),
    actor: z.string().describe('Only what this user did').optional(),
    limit: z.int().min(1).max(10_000).default(100).describe('Number of events'),
    before: z.int().min(1).describe('Only events with a smaller id: the next page').optional(),
  }),
  needs: { audit: Audit },
  output: z.object({ events: z.array(event), next: z.int().optional() }),
  run: async (filter, { audit: log }) => {
    const { events, ...rest } = await log.list(filter);
    return { events: [...events], ...rest };
  },
  toText({ events, next }) {
    const shown = textTable([
      ['ID', 'TIME', 'ACTION', 'OUTCOME', 'ACTOR', 'ADDRESS', 'CLIENT', 'TARGET', 'DETAIL'],
      ...events.map((each) => [
        String(each.id),
        each.time.slice(0, 19).replace('T', ' '),
        each.action,
        each.outcome,
        oneLine(each.actor?.name ?? ''),
        oneLine(each.address ?? ''),
        oneLine(each.client ?? ''),
        oneLine(each.target ?? ''),
        oneLine(each.detail ?? ''),
      ]),
    ]);
    return next === undefined ? shown : `${shown}\nOlder events: --before ${next}`;
  },
});
