import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { z } from 'zod';

const { version } = z.object({ version: z.string() }).parse(createRequire(import.meta.url)('../../package.json'));
const icon = readFileSync(new URL('icon.svg', import.meta.url)).toString('base64');

/** What this server calls itself in each answer of the newest revision. */
export const serverName = { name: 'sextant', title: 'Sextant', version } as const;

/** What it tells of itself to a client that connects. */
export const serverInfo = {
  ...serverName,
  description: 'Search, navigation, history and research over the git repositories that you may read.',
  icons: [{ src: `data:image/svg+xml;base64,${icon}`, mimeType: 'image/svg+xml', sizes: ['any'] }],
} satisfies Record<string, unknown>;
