import { SextantError, definePage } from '@sextant/core';
import type { HostEvent } from '@sextant/contracts';
import type { FollowedSource } from './hosted-catalog.ts';
import { Sources } from './sources.ts';

const root = '/.api/webhooks/sources/';

/** Where code hosts send what happened. What a message says only makes the server look: nothing in it is believed. */
export const sourceWebhook = definePage({
  name: 'source-webhook',
  method: 'POST',
  path: `${root}:name`,
  access: 'anyone',
  needs: { sources: Sources },
  async respond(request, { sources }, { log }) {
    const name = nameIn(new URL(request.url).pathname);
    const followed = sources.followed.find(({ configured }) => configured.name === name);
    const body = new Uint8Array(await request.arrayBuffer());
    const event = followed && read(followed, { headers: request.headers, body });
    if (!followed || !event)
      throw new SextantError(
        'unauthenticated',
        'there is no such source, or the message is not signed with its webhookSecret',
      );
    sources
      .note(followed, event)
      .catch((err: unknown) => log.error({ err, source: name }, 'a message of a code host had no effect'));
    return Response.json({ accepted: event.kind }, { status: 202 });
  },
});

function read(
  { configured: { source } }: FollowedSource,
  message: Parameters<typeof source.readMessage>[0],
): HostEvent | undefined {
  try {
    return source.readMessage(message);
  } catch (cause) {
    throw new SextantError('invalid_argument', 'the message is not what this kind of host sends', { cause });
  }
}

function nameIn(pathname: string): string {
  try {
    return decodeURIComponent(pathname.slice(root.length));
  } catch {
    return '';
  }
}
