import { isSextantError } from '@sextant/core';
import { imageType } from '../media.ts';
import { commitOf } from '../visit.ts';
import type { Visit } from '../visit.ts';

/** A file may come from anyone: whatever it is, it runs no script, loads nothing and has no rights of this origin. */
const policy = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; sandbox; frame-ancestors 'none'";

/** The bytes of a file. */
export async function showRaw(visit: Visit): Promise<Response> {
  const { repository, address, call, headers } = visit;
  const commit = await commitOf(visit);
  const { id } = await repository.find(commit, address.rest, call.signal);
  const etag = `"${id}"`;
  const shared = {
    etag,
    // Every time it is asked again whether the viewer may still read it.
    'cache-control': 'private, no-cache',
    'content-security-policy': policy,
    'x-content-type-options': 'nosniff',
    'cross-origin-resource-policy': 'same-origin',
  };
  const bytes = await repository.readBytes(commit, address.rest, call.signal);
  if (headers.get('if-none-match') === etag) return new Response(null, { status: 304, headers: shared });
  const type = imageType(address.rest) ?? ((await isText(visit, commit)) ? 'text/plain; charset=utf-8' : undefined);
  return new Response(new Uint8Array(bytes), {
    headers: {
      ...shared,
      'content-type': type ?? 'application/octet-stream',
      'content-length': String(bytes.byteLength),
      'content-disposition': disposition(type === undefined ? 'attachment' : 'inline', address.rest),
    },
  });
}

async function isText({ repository, address, call }: Visit, commit: string): Promise<boolean> {
  try {
    const { encoding } = await repository.readText(commit, address.rest, call.signal);
    return encoding === 'utf-8';
  } catch (error) {
    if (isSextantError(error)) return false;
    throw error;
  }
}

/** RFC 6266: the name in plain ASCII, and as it is. */
function disposition(kind: 'inline' | 'attachment', path: string): string {
  const name = path.slice(path.lastIndexOf('/') + 1);
  const plain = name.replace(/[^\w.-]/g, '_');
  const encoded = encodeURIComponent(name).replace(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16)}`,
  );
  return `${kind}; filename="${plain}"; filename*=UTF-8''${encoded}`;
}
