import { registerHooks } from 'node:module';

/** Everything in it was installed with us: a file inside a package is where its name says. */
const own = new URL('../../', import.meta.url).href;
const isNear = /^\.\.?\/.*\.m?[jt]s$/;

/**
 * Resolves modules that our own modules name by path, without asking the file system. Node would check whether each
 * exists and where it really is, which takes much of the start. A missing one fails when it is read.
 */
export function trustNearModules(): void {
  registerHooks({
    resolve(specifier, context, nextResolve) {
      const { parentURL, conditions } = context;
      const isTrusted = parentURL?.startsWith(own) && conditions.includes('import') && isNear.test(specifier);
      return isTrusted
        ? { url: new URL(specifier, parentURL).href, shortCircuit: true }
        : nextResolve(specifier, context);
    },
  });
}
