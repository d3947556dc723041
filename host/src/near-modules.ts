import { registerHooks } from 'node:module';

/** Everything in it was installed with us: a file inside a package is where its name says. */
const own = new URL('../../', import.meta.url).href;
const isNear = /^\.\.?\/.*\.m?[jt]s$/;

/**
 * Takes modules that others of ours name by their path for what they are. Node would ask the file system of each whether it is there, and where it
 * really lies, which is a seventh of all that loading costs; one that is not there fails when it is read.
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
