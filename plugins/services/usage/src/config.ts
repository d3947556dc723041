import { z } from 'zod';
import { hostOf } from './answers/instances.ts';

const pushTo = z.strictObject({
  url: z
    .url({ protocol: /^https?$/, error: 'must be the URL of another Sextant, such as https://code.example.com' })
    .transform((url) => url.replace(/\/+$/, ''))
    .describe('Where the usage of this instance is sent'),
  token: z
    .string()
    .min(1)
    .describe('An access token of that instance: scope analytics, of a user whom it names in receiveFrom'),
  intervalSeconds: z.number().min(1).max(86_400).default(60).describe('How often what is new is sent'),
});
export type Target = z.output<typeof pushTo>;

const sender = z
  .strictObject({
    instance: z
      .string()
      .refine((text) => hostOf(text, 'https:') !== undefined, 'must be the host of an instance, such as eu.example.com')
      .describe('Its host, or the URL where people reach it'),
    users: z.array(z.string().min(1)).default([]).describe('Names of users whose tokens may send its usage'),
    roles: z.array(z.string().min(1)).default([]).describe('Roles whose holders may send its usage'),
  })
  .refine(({ users, roles }) => users.length + roles.length > 0, 'needs users or roles that may send its usage');
export type Sender = z.output<typeof sender>;

const receiveFrom = z
  .array(sender)
  .refine(
    (senders) => new Set(senders.map(({ instance }) => hostOf(instance, 'https:'))).size === senders.length,
    'must name each instance once',
  );

export const config = z.object({
  eventDays: z
    .int()
    .min(1)
    .max(36_500)
    .default(90)
    .describe('How long single events are kept; their sums by day are kept for ever'),
  receiveFrom: receiveFrom
    .default([])
    .describe('Instances that show their usage here too, and who may send it; nothing is taken of any other'),
  pushTo: pushTo.optional().describe('Another instance that shows the usage of this one too'),
});
