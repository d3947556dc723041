import { matchesGlob, repositoryNameProblem, sshHostOf } from '@sextant/contracts';
import type { HostRepository } from '@sextant/contracts';
import type { ConfiguredSource } from './config.ts';

/** Why a repository is not served, for operators; undefined where it is. */
export function whyLeftOut(repository: HostRepository, { settings, source }: ConfiguredSource): string | undefined {
  const problem = repositoryNameProblem(repository.path);
  if (problem !== undefined) return `its name ${problem}`;
  const elsewhere = settings.ssh ? whyNotOverSSH(repository, { settings, source }) : whyElsewhere(repository, source);
  if (elsewhere !== undefined) return elsewhere;
  if (repository.isEmpty) return 'nothing was pushed to it yet';
  return whyExcluded(repository, settings.exclude) ?? whyNotIncluded(repository, settings.include);
}

function whyElsewhere({ cloneURL }: HostRepository, { cloneOrigins }: ConfiguredSource['source']): string | undefined {
  return cloneOrigins.includes(originOf(cloneURL)) ? undefined : `its clone URL is not at ${cloneOrigins.join(' or ')}`;
}

function whyNotOverSSH(
  { sshURL }: HostRepository,
  { settings: { sshHost }, source: { sshHosts = [] } }: Pick<ConfiguredSource, 'settings' | 'source'>,
): string | undefined {
  if (sshURL === undefined) return 'its host tells no ssh URL of it';
  const hosts = sshHost === undefined ? sshHosts : [sshHost];
  if (hosts.includes(sshHostOf(sshURL) ?? '')) return undefined;
  return `its ssh URL is not at ${hosts.join(' or ')}; if that is meant, set "sshHost"`;
}

type Settings = ConfiguredSource['settings'];

function whyExcluded(repository: HostRepository, exclude: Settings['exclude']): string | undefined {
  if (exclude.archived && repository.isArchived) return 'exclude.archived: it is archived';
  if (exclude.forks && repository.isFork) return 'exclude.forks: it is a fork';
  const topic = repository.topics.find((each) => exclude.topics.some((glob) => matchesGlob(glob, each)));
  if (topic !== undefined) return `exclude.topics: it has the topic ${topic}`;
  const name = exclude.names.find((glob) => isNamed(repository, glob));
  return name === undefined ? undefined : `exclude.names: ${name}`;
}

function whyNotIncluded(repository: HostRepository, include: Settings['include']): string | undefined {
  const { topics, names, visibility } = include;
  if (visibility && !visibility.includes(repository.visibility))
    return `include.visibility: it is ${repository.visibility}`;
  if (topics && !repository.topics.some((each) => topics.some((glob) => matchesGlob(glob, each))))
    return 'include.topics: it has none of them';
  if (names && !names.some((glob) => isNamed(repository, glob))) return 'include.names: it is like none of them';
  return undefined;
}

const isNamed = ({ path }: HostRepository, glob: string): boolean =>
  matchesGlob(glob, path) || matchesGlob(glob, path.slice(path.lastIndexOf('/') + 1));

/** Of http and https URLs only. */
function originOf(url: string): string {
  if (!URL.canParse(url)) return '';
  const { origin, username, password } = new URL(url);
  return username === '' && password === '' ? origin : '';
}
