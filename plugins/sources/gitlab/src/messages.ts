import { createHmac, timingSafeEqual } from 'node:crypto';
import type { HostEvent, HostMessage } from '@sextant/contracts';
import { z } from 'zod';
import { signingPrefix } from './config.ts';

/** How far the clock of GitLab may be from that of this server, as Standard Webhooks says. */
const toleranceMs = 300_000;

/** Whether GitLab sent a message: by the secret token itself, or by a signature (Standard Webhooks). */
export function isProven({ headers, body }: HostMessage, secret: string): boolean {
  if (!secret.startsWith(signingPrefix)) return isSame(headers.get('x-gitlab-token') ?? '', secret);
  const id = headers.get('webhook-id') ?? '';
  const timestamp = headers.get('webhook-timestamp') ?? '';
  const isNow = /^\d{1,12}$/.test(timestamp) && Math.abs(Date.now() - Number(timestamp) * 1000) <= toleranceMs;
  const key = Buffer.from(secret.slice(signingPrefix.length), 'base64');
  const expected = createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest('base64');
  const signatures = (headers.get('webhook-signature') ?? '').split(' ');
  return isNow && signatures.some((signature) => isSame(signature, `v1,${expected}`));
}

/** In constant time; what is compared has always the same length. */
const isSame = (given: string, expected: string): boolean => timingSafeEqual(digest(given), digest(expected));

const digest = (text: string): Buffer => createHmac('sha256', 'compared').update(text).digest();

/** Of webhooks of projects and groups, and of system hooks. Only the latter tell of every event by name. */
const message = z.object({
  event_name: z.string().optional(),
  object_kind: z.string().optional(),
  project_id: z.int().positive().optional(),
});

/** What a message says. Throws where it is not JSON, or not of GitLab. */
export function eventOf(body: Uint8Array): HostEvent {
  const given = message.parse(JSON.parse(Buffer.from(body).toString('utf8')));
  const event = given.event_name ?? given.object_kind ?? '';
  if (/^(push|tag_push|repository_update)$/.test(event) && given.project_id !== undefined)
    return { kind: 'pushed', repositoryId: String(given.project_id) };
  if (/^((project|group|subgroup)_(create|destroy|rename|transfer|update)|user_rename)$/.test(event))
    return { kind: 'repositories' };
  if (/^user_((add_to|remove_from|update_for)_(team|group)|destroy)$/.test(event)) return { kind: 'access' };
  return { kind: 'other' };
}
