import { generateKeyPairSync, randomBytes, randomUUID } from 'node:crypto';
import { link, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { SextantError } from '@sextant/core';
import { z } from 'zod';

/** How many keys are kept: those before the first still check what was signed with them. */
const kept = 3;

const keyFile = z.object({
  /** Private keys as JWK, the one that signs first. */
  signing: z.array(z.looseObject({ kty: z.string(), kid: z.string() })).min(1),
  /** Keys of signed cookies and references, the one that signs first. */
  cookies: z.array(z.string().min(32)).min(1),
});

export type Keys = z.output<typeof keyFile>;

const pathIn = (dataFolder: string): string => join(dataFolder, 'oauth-keys.json');

/** The keys of this server, made at its first start. Throws `unavailable` for a file that is damaged. */
export async function readKeys(dataFolder: string): Promise<Keys> {
  const path = pathIn(dataFolder);
  await createOnce(path);
  const parsed = keyFile.safeParse(parseJson(await readFile(path, 'utf8')));
  if (parsed.success) return parsed.data;
  throw new SextantError(
    'unavailable',
    `${path} is damaged; restore it, or remove it: every person must then sign in to their clients again`,
  );
}

/** Puts a new key before the others; those that are too old go. Takes effect at the next start. */
export async function rotateKeys(dataFolder: string): Promise<Keys> {
  const { signing, cookies } = await readKeys(dataFolder);
  const fresh = newKeys();
  const rotated = {
    signing: [...fresh.signing, ...signing].slice(0, kept),
    // The last one stays: references are made with it.
    cookies: [...fresh.cookies, ...cookies].filter((_, index, all) => index < kept - 1 || index === all.length - 1),
  };
  await writeBeside(pathIn(dataFolder), rotated, rename);
  return rotated;
}

/** Another process may start at this moment: whoever links first wins, and nobody reads half a file. */
async function createOnce(path: string): Promise<void> {
  if (await exists(path)) return;
  await writeBeside(path, newKeys(), async (from, to) => {
    await link(from, to).catch((error: unknown) => {
      if (!isExisting(error)) throw error;
    });
    await rm(from);
  });
}

async function writeBeside(
  path: string,
  keys: Keys,
  place: (from: string, to: string) => Promise<void>,
): Promise<void> {
  const beside = `${path}.${randomUUID()}`;
  await writeFile(beside, JSON.stringify(keys, null, 2), { mode: 0o600, flag: 'wx', flush: true });
  await place(beside, path);
}

function newKeys(): Keys {
  const { kty = 'EC', ...jwk } = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({
    format: 'jwk',
  });
  return {
    signing: [{ kty, ...jwk, kid: randomUUID(), use: 'sig', alg: 'ES256' }],
    cookies: [randomBytes(32).toString('base64url')],
  };
}

const exists = (path: string): Promise<boolean> =>
  readFile(path).then(
    () => true,
    (error: unknown) => {
      if (isMissing(error)) return false;
      throw error;
    },
  );

const hasCode = (error: unknown, code: string): boolean =>
  error instanceof Error && 'code' in error && error.code === code;
const isMissing = (error: unknown): boolean => hasCode(error, 'ENOENT');
const isExisting = (error: unknown): boolean => hasCode(error, 'EEXIST');

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
