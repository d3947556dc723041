import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { definePlugin, optional } from '@sextant/core';
import type { Logger, ServiceStatus } from '@sextant/core';
import {
  AccessRules,
  Fetches,
  GitStore,
  HostedRepositories,
  Links,
  PageLinks,
  Repositories,
  fetchWebhook,
} from '@sextant/contracts';
import { Catalogue, Placement } from '@sextant/contracts/nodes';
import { accessExplain, accessRules } from './access-command.ts';
import { Catalog } from './catalog/catalog.ts';
import type { CatalogOptions } from './catalog/catalog.ts';
import { diagnoseQuota } from './clones/clone-quota.ts';
import { Clones } from './clones/clones.ts';
import { mistakesIn } from './catalog/check-config.ts';
import { config } from './config.ts';
import type { GitConfig } from './config.ts';
import { GitFetches } from './clones/fetch-requests.ts';
import { GitProgram } from './process/git-process.ts';
import { GitRepositories, catalogueOf } from './git-repositories.ts';
import { GitVersion, diagnoseGit } from './process/git-version.ts';
import { CatalogStore } from './git-store.ts';
import { launcher } from './process/launcher.ts';
import { HeadCommits } from './refs/head-commits.ts';
import { openReaders } from './readers.ts';
import type { Readers } from './readers.ts';
import { diagnoseObjects } from './storage/diagnose-objects.ts';
import { PreparedFolders } from './storage/prepared-folder.ts';
import { Precedence } from './process/precedence.ts';
import { RepositoryFormats } from './storage/repository-format.ts';
import { RefWatch } from './refs/ref-watch.ts';

const clonesFolder = 'clones';

/** Milliseconds after which it is served what was not looked at yet: whoever asks for it waits. */
const longestLookMs = 5000;

export default definePlugin({
  name: 'service-git',
  config,
  dataFiles: [
    { path: clonesFolder, isRebuilt: true },
    { path: 'git-folders', isRebuilt: true },
  ],
  topLevel: ['repositories'],
  needs: { hosted: optional(HostedRepositories), placement: optional(Placement) },
  provides: {
    repositories: Repositories,
    store: GitStore,
    links: Links,
    fetches: Fetches,
    access: AccessRules,
    catalogue: Catalogue,
  },
  pages: [fetchWebhook],
  commands: [accessExplain],
  checkConfig: mistakesIn,
  async diagnose(settings, { dataFolder, configFolder, isThorough }) {
    const clones = join(dataFolder, clonesFolder);
    const { quotaBytes } = settings;
    return [
      await diagnoseGit(),
      ...(quotaBytes === undefined ? [] : [await diagnoseQuota(clones, quotaBytes)]),
      ...(isThorough
        ? await diagnoseObjects(settings, { configFolder, dataFolder, clones, formats: openFormats() })
        : []),
    ];
  },
  async start(settings, { hosted, placement }, { log, dataFolder, configFolder, externalURL }) {
    launcher.onEnd = (reason) => log.error({}, `${reason}; what it ran is lost, and it is started again`);
    const version = new GitVersion();
    await version.check();
    const clones = openClones(settings, { dataFolder, log, hosted, graceSeconds: placement?.graceSeconds ?? Infinity });
    const folders = await PreparedFolders.open(join(dataFolder, 'git-folders'));
    const catalog = await openCatalog(settings, { configFolder, dataFolder, folders, clones, hosted, placement, log });
    const readers = openReaders(settings, log);
    catalog.followHosts();
    const repositories = new GitRepositories({ catalog, readers, hosted });
    const fetches = new GitFetches({ catalog, repositories, log });
    const watch = new RefWatch({ catalog, seconds: settings.watchSeconds, log });
    const store = openStore(settings, { catalog, watch, readers });
    let isInspected = false;
    const followHosts = (): void => {
      for (const entry of catalog.followHosts()) entry.fetch();
    };
    const followPlacement = async (): Promise<void> => {
      followHosts();
      // A scan that is under way may have begun before.
      await fetches.rescan();
      await fetches.rescan();
    };
    const stopFollowing = placement ? [placement.onChange(followPlacement)] : [];
    const inspect = async (): Promise<void> => {
      await catalog.inspect();
      isInspected = true;
    };
    const look = async (): Promise<void> => {
      await version.check();
      await fetches.rescan();
      await inspect();
    };
    const rescans = setInterval(() => void look(), settings.fetchSeconds * 1000).unref();
    return {
      repositories: {
        value: repositories,
        ready: async () => {
          await Promise.race([inspect(), setTimeout(longestLookMs, undefined, { ref: false })]);
          await clones.start();
          const stop = hosted?.onChange(followHosts);
          if (stop) stopFollowing.push(stop);
        },
        status: () => statusOf({ catalog, clones, version, isInspected, isPlaced: placement !== undefined }),
        shed: () => {
          for (const cache of [readers.texts, readers.trees, readers.comparer]) cache.forget();
        },
        close: async () => {
          clearInterval(rescans);
          for (const stop of stopFollowing) stop();
          await clones.close();
          readers.close();
          await folders.close();
        },
      },
      store: { value: store, close: async () => watch.close() },
      links: { value: new PageLinks(externalURL) },
      fetches: { value: fetches },
      access: { value: accessRules(catalog, hosted) },
      catalogue: { value: catalogueOf(catalog, clones) },
    };
  },
});

function openClones(settings: GitConfig, { dataFolder, ...around }: CloneSurroundings): Clones {
  const { clonesAtOnce: atOnce, cloneSeconds: seconds, fetchSeconds: interval } = settings;
  const { cloneBytes: bytes, cloneMemoryBytes: memoryBytes, freeBytes, quotaBytes, keepSeconds } = settings;
  const { refs, ssh } = settings;
  const root = join(dataFolder, clonesFolder);
  return new Clones({
    root,
    atOnce,
    seconds,
    bytes,
    freeBytes,
    quotaBytes,
    keepSeconds,
    memoryBytes,
    refs,
    interval,
    ssh,
    ...around,
  });
}

interface CloneSurroundings {
  graceSeconds: number;
  dataFolder: string;
  log: Logger;
  hosted: HostedRepositories | undefined;
}

function openStore(
  settings: GitConfig,
  { catalog, watch, readers }: { catalog: Catalog; watch: RefWatch; readers: Readers },
): CatalogStore {
  const { indexCommandsAtOnce: processes, commandSeconds: seconds, silentSeconds, outputBytes } = settings;
  const programs = { processes, seconds, silentSeconds, outputBytes };
  const treeLimits = {
    entries: settings.treeEntries,
    pathBytes: settings.treePathBytes,
    bytes: outputBytes,
    seconds: settings.treeSeconds,
  };
  const [git, background] = [new GitProgram(programs), new GitProgram(programs)];
  const { revisions, refCommits, objects, trees } = readers;
  const precedence = new Precedence();
  const heads = new HeadCommits();
  const parts = {
    catalog,
    git,
    background,
    precedence,
    revisions,
    refCommits,
    objects,
    trees,
    heads,
    watch,
    treeLimits,
  };
  return new CatalogStore(parts);
}

interface StatusParts {
  catalog: Catalog;
  clones: Clones;
  version: GitVersion;
  /** Whether the files of each repository were looked at. */
  isInspected: boolean;
  /** Whether others may own repositories. */
  isPlaced: boolean;
}

function statusOf({ catalog, clones, version, isInspected, isPlaced }: StatusParts): ServiceStatus {
  const cloning = clones.count('cloning');
  const { quota } = clones;
  const failures = [
    ...(version.problem === undefined ? [] : [{ name: 'git', reason: version.problem }]),
    ...catalog.failures(),
    ...clones.failures(),
  ];
  return {
    isReady: cloning === 0 && isInspected && version.problem === undefined,
    detail: {
      repositories: catalog.all().length,
      cloning,
      failed: clones.count('failed') + catalog.failures().length,
      ...(isPlaced && { left: clones.left.names.length, leftRemoved: clones.left.removed }),
      ...(quota && {
        evicted: clones.count('evicted'),
        evictions: quota.evictions,
        cloneBytes: quota.bytes,
        quotaBytes: quota.most,
      }),
    },
    ...(failures.length > 0 && { failures }),
  };
}

type CatalogSurroundings = Pick<
  CatalogOptions,
  'configFolder' | 'dataFolder' | 'folders' | 'clones' | 'hosted' | 'placement' | 'log'
>;

function openCatalog(settings: GitConfig, surroundings: CatalogSurroundings): Promise<Catalog> {
  const { repositories, sharedObjectStores, scanDepth: depth, scanFolders, refs, objectFiles: files } = settings;
  const limits = { depth, folders: scanFolders, refs, files };
  return Catalog.open({ ...surroundings, repositories, sharedObjectStores, limits, formats: openFormats() });
}

const openFormats = (): RepositoryFormats => new RepositoryFormats(new GitProgram(formatCommands));

/** They read a text of a few lines that they are given. */
const formatCommands = { processes: 2, seconds: 10 };
