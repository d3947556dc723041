import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { z } from 'zod';

const shape = z.looseObject({
  name: z.string().optional().catch(undefined),
  version: z.string().optional().catch(undefined),
  description: z.string().optional().catch(undefined),
  engines: z.looseObject({ sextant: z.string().optional() }).optional().catch(undefined),
});

/** What the manifest of a package says of it. */
export interface Package extends z.output<typeof shape> {
  readonly manifest: string;
}

/** The package that a module belongs to; undefined for a module without one. Throws where the manifest is no JSON. */
export async function packageOf(file: string): Promise<Package | undefined> {
  const folder = dirname(file);
  if (folder === file) return undefined;
  const manifest = join(folder, 'package.json');
  const text = await readFile(manifest, 'utf8').catch(() => undefined);
  if (text === undefined) return packageOf(folder);
  return { ...shape.safeParse(JSON.parse(text)).data, manifest };
}
