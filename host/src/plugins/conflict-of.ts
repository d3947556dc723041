import { needsOf } from '@sextant/core';
import type { LoadedPlugin } from './load-plugins.ts';

/** First parts of paths that the host answers itself. */
const hostParts = ['api', 'healthz', 'readyz', 'metrics'];

/** Why a plugin cannot be loaded beside the others, where isolated ones are among them; undefined where it can. */
export function conflictOf(entry: LoadedPlugin, loaded: readonly LoadedPlugin[]): string | undefined {
  return (
    replacedService(entry, loaded) ??
    hiddenService(entry, loaded) ??
    (entry.isolation === 'process' ? takenPath(entry, loaded) : undefined)
  );
}

/** A service of an isolated plugin would answer for callers who are not its own. */
function hiddenService({ plugin }: LoadedPlugin, loaded: readonly LoadedPlugin[]): string | undefined {
  const provided = new Set(loaded.flatMap((each) => Object.values(each.plugin.provides).map(({ name }) => name)));
  for (const { by, need } of needsOf(plugin)) {
    const owner = loaded.find((each) => each.plugin !== plugin && each.ownServices.includes(need.name));
    if (owner && !provided.has(need.name) && !need.isOptional)
      return `${by} needs "${need.name}" of ${owner.plugin.name}, which runs in a process of its own: only its own parts can have that. "trusted: true" below ${owner.key} lets others have it`;
  }
  return undefined;
}

/** Others would go on with the service that is there. */
function replacedService({ plugin, ownServices }: LoadedPlugin, loaded: readonly LoadedPlugin[]): string | undefined {
  for (const name of ownServices) {
    const other = loaded.find((each) => Object.values(each.plugin.provides).some((token) => token.name === name));
    if (other && other.plugin !== plugin)
      return `it provides "${name}", as ${other.plugin.name} does; only with "trusted: true" can it take that place, and ${other.plugin.name} must be off then`;
  }
  return undefined;
}

/** A page that a plugin in the server's process has at such a path is one that people rely on: the form to sign in. */
function takenPath({ plugin }: LoadedPlugin, loaded: readonly LoadedPlugin[]): string | undefined {
  const others = loaded.filter((each) => each.plugin !== plugin);
  const pages = others.filter(({ isolation }) => isolation === 'in-process').flatMap((each) => each.plugin.pages);
  const taken = new Set([...hostParts, ...pages.map(({ path }) => firstPart(path))]);
  const page = plugin.pages.find(({ path }) => taken.has(firstPart(path)));
  if (page)
    return `its page ${page.name} is at ${page.path}, and /${firstPart(page.path)} is of others; an isolated plugin may have paths whose first part nobody has`;
  const report = plugin.reports.find(({ path }) =>
    others.some((each) => each.plugin.reports.some((one) => one.path === path)),
  );
  return report && `its report ${report.name} is at ${report.path}, where another report is`;
}

const firstPart = (path: string): string => path.split('/')[1] ?? '';
