import { SextantError, definePlugin, defineTool, thisPlugin } from '@sextant/core';
import { z } from 'zod';

// Below its name in the configuration: `url: https://tickets.example.com, token: "${env:TICKETS_TOKEN}", allow: [network]`
const config = z.object({ url: z.url(), token: z.string() });
const answer = z.object({ title: z.string(), state: z.string() });

export const ticket = defineTool({
  name: 'ticket',
  title: 'Read a ticket',
  description: 'Title and state of a ticket. Commit messages name tickets as SHOP-123.',
  endpoints: [],
  needs: { plugin: thisPlugin(config) },
  input: z.object({
    id: z
      .string()
      .regex(/^[A-Z]+-\d+$/)
      .describe('Such as SHOP-123.'),
  }),
  output: answer,
  async run({ id }, { plugin: { settings } }, { signal }) {
    const headers = { authorization: `Bearer ${settings.token}` };
    const response = await fetch(new URL(`/api/tickets/${id}`, settings.url), { headers, signal }).catch(
      (cause: unknown) => {
        throw signal.aborted ? cause : new SextantError('unavailable', 'the tickets cannot be reached', { cause });
      },
    );
    if (response.status === 404) throw new SextantError('not_found', `there is no ticket ${id}`);
    if (!response.ok) throw new SextantError('unavailable', `the tickets answered ${response.status}; try again later`);
    return answer.parse(await response.json());
  },
  toText: ({ title, state }) => `${title} (${state})`,
});

// It runs in a process of its own, which has no network unless the plugin says so and the operator allows it.
export default definePlugin({ name: 'tool-ticket', config, capabilities: ['network'], tools: [ticket] });
