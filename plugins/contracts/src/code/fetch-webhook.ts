import { SextantError, definePage } from '@sextant/core';
import { z } from 'zod';
import { Fetches } from './fetches.ts';

const body = z.strictObject({ repository: z.string().min(1).max(1000).optional() });

/** What a code host calls after a push: a page of the plugin that provides `Fetches`. */
export const fetchWebhook = definePage({
  name: 'fetch-webhook',
  method: 'POST',
  path: '/.api/webhooks/fetch',
  access: { scope: 'all', permission: 'REPOSITORIES#FETCH' },
  needs: { fetches: Fetches },
  async respond(request, { fetches }, { caller }) {
    const { repository } = parse(await request.text());
    return Response.json({ queued: await fetches.queue(caller, repository) }, { status: 202 });
  },
});

function parse(text: string): z.output<typeof body> {
  try {
    return body.parse(text.trim() === '' ? {} : JSON.parse(text));
  } catch (cause) {
    throw new SextantError('invalid_argument', 'the body must be empty or JSON such as {"repository": "name"}', {
      cause,
    });
  }
}
