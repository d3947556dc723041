import { instanceURL } from '@sextant/contracts';
import { SextantError, definePage } from '@sextant/core';
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

/** Longest line and longest body, in bytes. */
const maxLine = 16 * 1024;
const maxBody = 256 * 1024 * 1024;

/** Lines of a body as they come; neither it nor a line is held longer than it must. Throws `too_large`. */
export async function* readLines(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let size = 0;
  let rest = '';
  for await (const piece of pieces) {
    size += piece.byteLength;
    if (size > maxBody) throw tooLarge('the body', maxBody);
    const lines = (rest + decoder.decode(piece, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    if ([rest, ...lines].some(({ length }) => length > maxLine)) throw tooLarge('a line', maxLine);
    yield* lines.filter((line) => line.trim() !== '');
  }
  rest += decoder.decode();
  if (rest.trim() !== '') yield rest;
}

const tooLarge = (what: string, limit: number): SextantError =>
  new SextantError('too_large', `${what} is larger than ${limit} bytes; send it in smaller ones`);
