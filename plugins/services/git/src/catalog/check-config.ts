import { realpath } from 'node:fs/promises';
import { resolve } from 'node:path';
import { missingHelper } from '@sextant/contracts';
import type { ConfigCheck, ConfigMistake } from '@sextant/core';
import { noSSHLogin } from '../clones/clones.ts';
import { isSSH, nameOfURL, remoteOf } from '../clones/remote-url.ts';
import type { ConfiguredRepository, GitConfig } from '../config.ts';
import { Boundary } from '../storage/boundary.ts';
import { scan } from '../storage/discovery.ts';

/** Repositories that are not where the configuration says or need a login that it lacks, and names that it gives twice. */
export async function mistakesIn(
  settings: GitConfig,
  { configFolder, mayRead }: ConfigCheck,
): Promise<ConfigMistake[]> {
  const mistakes = withoutLogin(settings);
  if (!mayRead) return mistakes;
  for (const [index, { credentialHelper: helper }] of settings.repositories.entries()) {
    const text = helper === undefined ? undefined : await missingHelper(helper);
    if (text !== undefined) mistakes.push({ path: ['repositories', index, 'credentialHelper'], text });
  }
  const places = new Map<string, string>();
  for (const [index, configured] of settings.repositories.entries()) {
    const { mistake, name, place } = await look(configured, settings, configFolder);
    const path = ['repositories', index];
    if (mistake !== undefined) mistakes.push({ path: [...path, 'path'], text: mistake });
    const other = name === undefined ? undefined : places.get(name);
    if (other !== undefined)
      mistakes.push({
        path: configured.name === undefined ? path : [...path, 'name'],
        text: `two repositories are named "${name}": ${other} and ${place}; give one of them another name`,
      });
    else if (name !== undefined) places.set(name, place);
  }
  return mistakes;
}

const withoutLogin = ({ repositories, ssh: common }: GitConfig): ConfigMistake[] =>
  repositories.flatMap(({ url, ssh = common }, index) =>
    url === undefined || !isSSH(url) || ssh !== undefined
      ? []
      : [{ path: ['repositories', index, 'url'], text: noSSHLogin }],
  );

interface Look {
  /** Why nothing is served from there. */
  readonly mistake?: string;
  /** The name that the configuration gives; none for a folder in which repositories are looked for. */
  readonly name?: string;
  readonly place: string;
}

async function look(
  { path = '.', url, name }: ConfiguredRepository,
  { scanDepth, scanFolders }: GitConfig,
  configFolder: string,
): Promise<Look> {
  if (url !== undefined) return { name: name ?? nameOfURL(url), place: remoteOf(url).url };
  const place = resolve(configFolder, path);
  const root = await realpath(place).catch(() => place);
  const boundary = new Boundary({ own: [root], foreign: [] });
  const { found, failures } = await scan({ path: place, name, boundary }, { depth: scanDepth, folders: scanFolders });
  const [repository] = found;
  if (repository) return { place, ...(repository.isNamed && { name: repository.name }) };
  return { place, mistake: failures[0]?.reason ?? `there is no git repository in ${place} or below it` };
}
