import { extname } from 'node:path';

/** A thread's module, in TypeScript here and in JavaScript where the package is built. */
export const threadURL = (name: string): URL => new URL(`../${name}${extname(import.meta.url)}`, import.meta.url);
