import { PreciseIndex } from '@sextant/contracts';
import { SextantError, definePage, didYouMean } from '@sextant/core';
import { z } from 'zod';

const parameters = {
  repo: z.string().min(1).max(1000),
  commit: z.string().min(1).max(1000),
  root: z.string().max(1000).optional(),
};
const names = Object.keys(parameters);
const validParameters = 'Valid parameters: repo (required), commit (required), root.';

/** `POST /.api/scip/upload?repo=…&commit=…[&root=…]`, the index as the body. */
export const uploadPage = definePage({
  name: 'scip-upload',
  method: 'POST',
  path: '/.api/scip/upload',
  access: { scope: 'all' },
  readsBodyInPieces: true,
  needs: { precise: PreciseIndex },
  async respond(request, { precise }, { caller, signal }) {
    const target = readParameters(new URL(request.url).searchParams);
    const uploaded = await precise.upload(caller, { ...target, content: piecesOf(request) }, signal);
    return Response.json(uploaded, { status: 201 });
  },
});

function readParameters(query: URLSearchParams): { repo: string; commit: string; root?: string } {
  const unknown = [...query.keys()].find((name) => !names.includes(name));
  if (unknown !== undefined)
    throw new SextantError(
      'invalid_argument',
      `Unknown parameter "${unknown.slice(0, 60)}".${didYouMean(unknown, names)} ${validParameters}`,
    );
  const parsed = z.object(parameters).safeParse(Object.fromEntries(query));
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const name = String(issue?.path[0]);
    const problem = query.has(name) ? `Parameter "${name}": ${issue?.message}.` : `Missing parameter "${name}".`;
    throw new SextantError('invalid_argument', `${problem} ${validParameters}`);
  }
  const { root, ...rest } = parsed.data;
  return { ...rest, ...(root !== undefined && { root }) };
}

async function* piecesOf({ body }: Request): AsyncGenerator<Uint8Array, void, void> {
  if (body) yield* body;
}
