import type { HostEvent, HostMessage } from '@sextant/contracts';
import { isSignedBy } from '@sextant/library-host-api';
import { z } from 'zod';

/** Keys of events of the cloud and of Data Center that say which repository was pushed to. */
const pushes: readonly string[] = ['repo:push', 'repo:refs_changed', 'mirror:repo_synchronized'];

/** What comes, goes or changes its name or its readers: all other events of repositories and projects but comments. */
const changes = /^(repo:(created|deleted|updated|imported|fork|forked|transfer|modified)|project:(updated|modified))$/;

const pushed = z.object({
  repository: z.object({ uuid: z.string().optional(), id: z.int().optional() }),
});

/** What a message says; undefined unless it has the signature of this secret. Throws where a push names no repository. */
export function eventOf({ headers, body }: HostMessage, secret: string | undefined): HostEvent | undefined {
  const signature = headers.get('x-hub-signature') ?? '';
  if (secret === undefined || !signature.startsWith('sha256=')) return undefined;
  if (!isSignedBy(secret, body, signature.slice('sha256='.length))) return undefined;
  const key = headers.get('x-event-key') ?? '';
  if (changes.test(key)) return { kind: 'repositories' };
  if (!pushes.includes(key)) return { kind: 'other' };
  const { repository } = pushed.parse(JSON.parse(Buffer.from(body).toString('utf8')));
  const id = repository.uuid === undefined ? repository.id : withoutBraces(repository.uuid);
  if (id === undefined) throw new Error('a push without a repository');
  return { kind: 'pushed', repositoryId: String(id) };
}

/** Bitbucket writes `{8a7f…}`. */
export const withoutBraces = (uuid: string): string => uuid.replace(/^\{|\}$/g, '');
