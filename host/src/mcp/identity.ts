import { createRequire } from 'node:module';
import { z } from 'zod';

const { version } = z.object({ version: z.string() }).parse(createRequire(import.meta.url)('../../package.json'));

/** What this server calls itself. */
export const serverInfo = { name: 'sextant', title: 'Sextant', version } as const;

export const capabilities = { tools: {} } as const;
