import type { HostEvent, HostMessage } from '@sextant/contracts';
import { isSignedBy } from '@sextant/library-host-api';
import { z } from 'zod';

/** Events as Gerrit writes them to its stream, and its webhooks to addresses. */
const event = z.object({
  type: z.string(),
  refUpdate: z.object({ project: z.string(), refName: z.string() }).optional(),
});

/** What a message says; undefined unless it has the signature of this secret. Throws where an update names no project. */
export function eventOf({ headers, body }: HostMessage, secret: string | undefined): HostEvent | undefined {
  const signature = headers.get('x-hub-signature-256') ?? '';
  if (secret === undefined || !signature.startsWith('sha256=')) return undefined;
  if (!isSignedBy(secret, body, signature.slice('sha256='.length))) return undefined;
  const { type, refUpdate } = event.parse(JSON.parse(Buffer.from(body).toString('utf8')));
  if (type !== 'ref-updated') return { kind: type.startsWith('project-') ? 'repositories' : 'other' };
  if (!refUpdate) throw new Error('an update without a project');
  // Rights of a project and those that inherit them are in a branch of it.
  if (refUpdate.refName === 'refs/meta/config') return { kind: 'repositories' };
  // Older versions write a branch without its folder.
  const isServed = /^(?!refs\/)|^refs\/(heads|tags)\//.test(refUpdate.refName);
  return isServed ? { kind: 'pushed', repositoryId: refUpdate.project } : { kind: 'other' };
}
