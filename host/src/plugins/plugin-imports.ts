import { registerHooks } from 'node:module';
import { preset, presetURL } from '@sextant/preset';

/** What a plugin may import without installing it: it gets the copies that the server itself runs on. */
const isShared = (specifier: string): boolean => /^(@sextant\/(core|contracts)|zod)(\/|$)/.test(specifier);

/**
 * Lets a plugin that is a single file beside the configuration import the public API. Packages that the plugin installed
 * itself come first. Only an import that Node cannot find is looked up among the server's own packages.
 */
export function sharePublicApi(): void {
  registerHooks({
    resolve(specifier, context, nextResolve) {
      try {
        return nextResolve(specifier, context);
      } catch (error) {
        if (!isShared(specifier)) throw error;
        for (const parentURL of ownPackages(nextResolve)) {
          const found = attempt(() => nextResolve(specifier, { ...context, parentURL }));
          if (found) return found;
        }
        throw error;
      }
    },
  });
}

type Resolve = (specifier: string, context: { parentURL: string }) => { url: string };

/** This package, and the plugins of the preset, of which some depend on the contracts. */
function* ownPackages(resolve: Resolve): Generator<string> {
  yield import.meta.url;
  for (const name of preset) {
    const found = attempt(() => resolve(name, { parentURL: presetURL }));
    if (found) yield found.url;
  }
}

function attempt<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}
