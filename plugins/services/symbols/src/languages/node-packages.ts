import { folderOf } from './language.ts';
import type { Project } from './language.ts';

/** Most manifests of one repository that are looked at. */
const maxManifests = 500;

/** `@acme/util` of `@acme/util/src/text`. */
export const packageNameOf = (module: string): string =>
  module
    .split('/')
    .slice(0, module.startsWith('@') ? 2 : 1)
    .join('/');

const known = new WeakMap<Project, Promise<ReadonlyMap<string, string>>>();

/** The folder of a package of the same repository. */
export async function packageFolder(name: string, project: Project): Promise<string | undefined> {
  return (await packagesOf(project)).get(name);
}

/** The names of all packages of a repository. */
export async function packageNamesIn(project: Project): Promise<string[]> {
  return [...(await packagesOf(project)).keys()];
}

function packagesOf(project: Project): Promise<ReadonlyMap<string, string>> {
  const packages = known.get(project) ?? readPackages(project);
  known.set(project, packages);
  return packages;
}

async function readPackages(project: Project): Promise<Map<string, string>> {
  const folders = new Map<string, string>();
  const paths = project.named('package.json').filter((path) => !/(^|\/)node_modules\//.test(path));
  for (const path of paths.slice(0, maxManifests)) {
    const name = /"name"\s*:\s*"([^"]+)"/.exec((await project.read(path)) ?? '')?.[1];
    if (name !== undefined && !folders.has(name)) folders.set(name, folderOf(path));
  }
  return folders;
}
