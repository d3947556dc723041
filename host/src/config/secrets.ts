import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';

const reference = /\$\{(env|file):([^}]+)\}/g;

/** What the references of a configuration stood for. */
export interface ResolvedSecrets {
  readonly value: unknown;
  /** References that lead nowhere: the key, and why. Never a value. */
  readonly problems: readonly { path: readonly PropertyKey[]; text: string }[];
  /** The same structure with every secret replaced by its reference, and passwords in URLs by stars: what may be shown. */
  mask(shown: unknown): unknown;
}

/** Replaces `${env:NAME}` and `${file:PATH}` in every string; relative paths start at `folder`. */
export async function resolveSecrets(raw: unknown, folder: string, env: NodeJS.ProcessEnv): Promise<ResolvedSecrets> {
  const secrets = new Map<string, string>();
  const problems: { path: readonly PropertyKey[]; text: string }[] = [];

  const look = async (text: string, path: readonly PropertyKey[]): Promise<string> => {
    let result = text;
    for (const [whole, kind, name = ''] of text.matchAll(reference)) {
      const found = kind === 'env' ? env[name] : await readSecret(resolve(folder, name));
      if (found === undefined) problems.push({ path, text: whyMissing(whole, kind, name) });
      else {
        secrets.set(found, whole);
        result = result.replace(whole, () => found);
      }
    }
    return result;
  };
  const value = await mapStrings(raw, look, []);
  return { value, problems, mask: (shown) => maskStrings(shown, secrets) };
}

const whyMissing = (whole: string, kind: string | undefined, name: string): string =>
  kind === 'env'
    ? `${whole}: the environment variable ${name} is not set`
    : `${whole}: the file ${name} cannot be read`;

const readSecret = (path: string): Promise<string | undefined> =>
  readFile(path, 'utf8').then(
    (text) => text.replace(/\r?\n$/, ''),
    () => undefined,
  );

type StringMapper = (text: string, path: readonly PropertyKey[]) => Promise<string>;

async function mapStrings(value: unknown, map: StringMapper, path: readonly PropertyKey[]): Promise<unknown> {
  if (typeof value === 'string') return map(value, path);
  if (Array.isArray(value)) return Promise.all(value.map((item, index) => mapStrings(item, map, [...path, index])));
  if (!isPlainObject(value)) return value;
  const entries = Object.entries(value).map(
    async ([key, item]) => [key, await mapStrings(item, map, [...path, key])] as const,
  );
  return Object.fromEntries(await Promise.all(entries));
}

function maskStrings(value: unknown, secrets: ReadonlyMap<string, string>): unknown {
  if (typeof value === 'string') return maskOne(value, secrets);
  if (Array.isArray(value)) return value.map((item) => maskStrings(item, secrets));
  if (!isPlainObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, maskStrings(item, secrets)]));
}

/** What stands as it is in a URL: `https://name:password@host` or `https://token@host`. */
const passwordInURL = /(?<=^[a-z+]+:\/\/[^\s/@:]*:)(?!\$\{)[^\s/]+(?=@)/;
const tokenInURL = /(?<=^https?:\/\/)(?!\$\{)[^\s/@:]+(?=@)/;

/** Longest first: one secret may contain another. */
function maskOne(text: string, secrets: ReadonlyMap<string, string>): string {
  const longestFirst = [...secrets].toSorted(([a], [b]) => b.length - a.length);
  return longestFirst
    .reduce((masked, [secret, whole]) => (secret === '' ? masked : masked.replaceAll(secret, () => whole)), text)
    .replace(passwordInURL, '***')
    .replace(tokenInURL, '***');
}

/** Whether a value is a mapping of the configuration. */
export const isPlainObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
