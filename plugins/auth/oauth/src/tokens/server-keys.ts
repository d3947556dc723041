import { generateKeyPairSync, randomBytes, randomUUID } from 'node:crypto';
import type { Secrets } from '@sextant/contracts';
import { SextantError } from '@sextant/core';
import { z } from 'zod';

/** How many keys are kept: those before the first still check what was signed with them. */
const kept = 3;

const serverKeys = z.object({
  /** Private keys as JWK, the one that signs first. */
  signing: z.array(z.looseObject({ kty: z.string(), kid: z.string() })).min(1),
  /** Keys of signed cookies and references, the one that signs first. */
  cookies: z.array(z.string().min(32)).min(1),
});

export type ServerKeys = z.output<typeof serverKeys>;

const secretName = 'oauth-keys.json';

/** The keys of this server, made at its first start. Throws `unavailable` where they are damaged. */
export async function readKeys(secrets: Secrets): Promise<ServerKeys> {
  const parsed = serverKeys.safeParse(parseJson(await secrets.readOrMake(secretName, () => textOf(newKeys()))));
  if (parsed.success) return parsed.data;
  throw new SextantError(
    'unavailable',
    `the secret ${secretName} is damaged; restore it, or remove it: every person must then sign in to their clients again`,
  );
}

/** Puts a new key before the others; those that are too old go. Takes effect at the next start. */
export async function rotateKeys(secrets: Secrets): Promise<ServerKeys> {
  const { signing, cookies } = await readKeys(secrets);
  const fresh = newKeys();
  const rotated = {
    signing: [...fresh.signing, ...signing].slice(0, kept),
    // The last one stays: references are made with it.
    cookies: [...fresh.cookies, ...cookies].filter((_, index, all) => index < kept - 1 || index === all.length - 1),
  };
  await secrets.replace(secretName, textOf(rotated));
  return rotated;
}

const textOf = (keys: ServerKeys): string => JSON.stringify(keys, null, 2);

function newKeys(): ServerKeys {
  const { kty = 'EC', ...jwk } = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({
    format: 'jwk',
  });
  return {
    signing: [{ kty, ...jwk, kid: randomUUID(), use: 'sig', alg: 'ES256' }],
    cookies: [randomBytes(32).toString('base64url')],
  };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
