import { Duplex } from 'node:stream';
import { constants, createBrotliCompress, createGzip } from 'node:zlib';

const compressible = /^(text\/(?!event-stream)|image\/svg\+xml|application\/json)/;
/** A middle level: much faster than the best one, and the page is only a little larger. */
const quality = { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } };
/** Of the requests that browsers make; below it a compressed answer is no shorter on the wire. */
const worthwhileBytes = 1000;

/** A page in the encoding that the client prefers of those it accepts (RFC 9110 section 12.5.3). Streams of events stay as they are. */
export function compressed(response: Response, request: Request): Response {
  const { body, headers, status, statusText } = response;
  if (!body || headers.has('content-encoding') || !compressible.test(headers.get('content-type') ?? ''))
    return response;
  if (Number(headers.get('content-length') ?? worthwhileBytes) < worthwhileBytes) return response;
  headers.append('vary', 'accept-encoding');
  const encoding = accepted(request.headers.get('accept-encoding') ?? '');
  if (encoding === undefined) return response;
  headers.set('content-encoding', encoding);
  headers.delete('content-length');
  const stream = encoding === 'br' ? createBrotliCompress(quality) : createGzip();
  // The types of Node and of fetch differ in what a chunk may share its memory with.
  const compressing = Duplex.toWeb(stream) as ReadableWritablePair<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>;
  return new Response(body.pipeThrough(compressing), { status, statusText, headers });
}

function accepted(header: string): 'br' | 'gzip' | undefined {
  const names = header
    .toLowerCase()
    .split(',')
    .map((part) => part.replaceAll(' ', ''))
    .filter((part) => !/;q=0(\.0*)?$/.test(part))
    .map((part) => part.replace(/;.*/, ''));
  return (['br', 'gzip'] as const).find((encoding) => names.includes(encoding));
}
