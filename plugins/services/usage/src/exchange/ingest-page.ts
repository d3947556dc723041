import { instanceURL } from '@sextant/contracts';
import { SextantError, definePage } from '@sextant/core';
import { readLines } from './read-lines.ts';
import { UsageReceiver } from './receiver.ts';

/** `POST /api/ingest?instanceURL=…`, a user or a sum a line as the body. */
export const ingestPage = definePage({
  name: 'usage-ingest',
  method: 'POST',
  path: '/api/ingest',
  access: { scope: 'analytics' },
  readsBodyInPieces: true,
  needs: { receiver: UsageReceiver },
  async respond(request, { receiver }, { caller }) {
    const query = new URL(request.url).searchParams;
    const instance = instanceURL.safeParse(query.get('instanceURL') ?? '');
    if (!instance.success || query.size !== 1)
      throw new SextantError(
        'invalid_argument',
        'give exactly one parameter, instanceURL: the host of the instance whose usage this is, such as code.example.com',
      );
    return Response.json(await receiver.receive(caller, instance.data, readLines(piecesOf(request))));
  },
});

async function* piecesOf({ body }: Request): AsyncGenerator<Uint8Array, void, void> {
  if (body) yield* body;
}
