import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * The text of a built module with the names that the compiler leaves as they are: of modules that a thread or a program
 * starts by their URL or path.
 */
export const builtText = (text: string): string =>
  text
    .replaceAll(/(new URL\((['"`])[^'"`]*)\.ts\2(?=, import\.meta\.url\))/g, '$1.js$2')
    .replaceAll(/(import\('\.\.)\/src\/([^']*)\.ts'\)/g, "$1/dist/$2.js')");

/** Modules that a declaration names: `from './x.ts'` and `import('./x.ts')`. */
const relativeModule = /((?:from |import\(|import )['"])(\.\.?\/[^'"]*)\.ts(?=['"])/g;

/** The declarations that a user of the package can reach from its entries, by their path; what is internal stays out. */
export function reachableDeclarations(folder: string, entries: readonly string[]): Map<string, string> {
  const found = new Map<string, string>();
  const waiting = [...entries];
  for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
    if (found.has(file)) continue;
    const text = readFileSync(join(folder, file), 'utf8');
    const named = [...text.matchAll(relativeModule)].map(([, , path = '']) => join(file ?? '', '..', `${path}.d.ts`));
    waiting.push(...named);
    found.set(file, text.replaceAll(relativeModule, '$1$2.js'));
  }
  return found;
}
