import { getHeapStatistics } from 'node:v8';
import { cloneDepth, credentialHelper, repositoryAccess, repositoryNameProblem, sshLogin } from '@sextant/contracts';
import { mostDescriptors } from '@sextant/core';
import { z } from 'zod';
import { isAllowedURL, isSSH, takesHelper } from './clones/remote-url.ts';

const repository = z
  .strictObject({
    path: z.string().min(1).describe('A repository, or a folder that is scanned for repositories').optional(),
    url: z
      .string()
      .refine(isAllowedURL, 'must be an https, http, ssh, git or file URL, or git@host:path')
      .describe('A repository to clone and fetch')
      .optional(),
    ssh: sshLogin.optional(),
    credentialHelper: credentialHelper.optional(),
    depth: cloneDepth.optional(),
    name: z
      .string()
      .refine(
        (name) => repositoryNameProblem(name) === undefined,
        'must not be empty, begin with "-" or "/", or contain ".." or control characters',
      )
      .describe('Name; for a scanned folder what its names begin with. Default: from the path or URL')
      .optional(),
    branches: z.array(z.string().min(1)).default([]).describe('Branches to index besides the default branch'),
    access: repositoryAccess.optional(),
    description: z.string().max(1000).describe('Shown by list_repos; default: the repository’s own').optional(),
    archived: z.boolean().default(false).describe('Whether it is kept but no longer worked on'),
    fork: z.boolean().default(false).describe('Whether it is a fork of another'),
  })
  .refine(({ path, url }) => (path === undefined) !== (url === undefined), 'needs either "path" or "url"')
  .refine(({ url, depth }) => depth === undefined || url !== undefined, {
    path: ['depth'],
    message: 'is for a repository with a "url"',
  })
  .refine(({ url, ssh }) => ssh === undefined || (url !== undefined && isSSH(url)), {
    path: ['ssh'],
    message: 'is for a URL of ssh: ssh://git@host/path, or git@host:path',
  })
  .refine(({ url, credentialHelper: helper }) => helper === undefined || (url !== undefined && takesHelper(url)), {
    path: ['credentialHelper'],
    message: 'is for a URL of https without a login in it',
  });

const mebibyte = 1024 * 1024;
const { heap_size_limit: heapBytes } = getHeapStatistics();
/** What is printed is held as a whole in some places, and is a multiple of that as text. */
const outputBytes = Math.max(16 * mebibyte, Math.floor(heapBytes / 8));
/** Of each file that is listed a service holds some hundred bytes while it works on it, and a search may have to rate all. */
const treeEntries = Math.min(1_000_000, Math.floor(heapBytes / 800));

export const config = z.object({
  repositories: z.array(repository).default([]).describe('What is served'),
  ssh: sshLogin.describe('The same for all URLs of ssh without an "ssh" of their own').optional(),
  sharedObjectStores: z
    .array(z.string().min(1))
    .default([])
    .describe(
      'Folders outside a served path in which its repositories may keep or borrow objects (alternates, linked work trees, links): whoever may read the repository can then read what is there',
    ),
  refs: z
    .int()
    .min(1)
    .max(100_000_000)
    .default(200_000)
    .describe('Most refs of a served repository; one with more is not served'),
  objectFiles: z
    .int()
    .min(1)
    .max(1_000_000_000)
    .default(2_000_000)
    .describe('Most files of objects of a served repository; one with more is not served'),
  fetchSeconds: z
    .number()
    .min(1)
    .max(604_800)
    .default(300)
    .describe('Time between two fetches of a clone, and between two scans of a folder'),
  cloneSeconds: z.number().min(1).max(86_400).default(3600).describe('Longest time that one clone or fetch may take'),
  cloneBytes: z
    .int()
    .min(mebibyte)
    .default(64 * 1024 * mebibyte)
    .describe('Disk that one clone may take; a clone or fetch that needs more is ended'),
  freeBytes: z
    .int()
    .min(0)
    .describe(
      'Disk that stays free: with less, no clone or fetch begins, and those that run are ended. Default: 1 GiB, or a twentieth of a smaller disk',
    )
    .optional(),
  quotaBytes: z
    .int()
    .min(mebibyte)
    .describe(
      'Disk that all clones together may take: above it the clone that calls named least recently is evicted, and fetched again when a call names it. Default: no quota',
    )
    .optional(),
  keepSeconds: z
    .number()
    .min(0)
    .max(604_800)
    .default(600)
    .describe('A clone that a call named in this time is not evicted to keep the quota'),
  cloneMemoryBytes: z
    .int()
    .min(64 * mebibyte)
    .default(4 * 1024 * mebibyte)
    .describe('Memory of each process of git that clones or fetches; one that needs more is ended'),
  clonesAtOnce: z
    .int()
    .min(1)
    .max(64)
    .default(2)
    .describe('Clones and fetches that run at once; twice as many go on beside them that take longer than a minute'),
  commandSeconds: z.number().min(1).max(3600).default(50).describe('Longest time of one git command that reads'),
  silentSeconds: z
    .number()
    .min(1)
    .max(3600)
    .default(60)
    .describe('Longest time for which a git command that reads prints nothing; then it is ended'),
  outputBytes: z
    .int()
    .min(mebibyte)
    .max(64 * 1024 * mebibyte)
    .default(outputBytes)
    .describe('Most bytes that a git command that reads may print at once; by default an eighth of the heap of Node'),
  treeEntries: z
    .int()
    .min(1)
    .max(100_000_000)
    .default(treeEntries)
    .describe(
      'Most files of one commit that are listed; a commit with more is not indexed. Less by default where the heap of Node is small',
    ),
  treePathBytes: z
    .int()
    .min(256)
    .max(mebibyte)
    .default(4096)
    .describe('Longest path of a file that is listed; a commit with a longer one is not indexed'),
  treeSeconds: z
    .number()
    .min(1)
    .max(86_400)
    .default(300)
    .describe('Longest time of one listing of the files of a commit'),
  commandsAtOnce: z.int().min(1).max(256).default(8).describe('Git commands that run at once; more wait'),
  indexCommandsAtOnce: z
    .int()
    .min(1)
    .max(64)
    .default(2)
    .describe('Git commands that run at once for indexes, and as many in the background'),
  watchSeconds: z.number().min(0.1).max(3600).default(1).describe('Time between two looks at whether refs have moved'),
  readers: z
    .int()
    .min(1)
    .max(512)
    .default(Math.max(1, Math.min(32, Math.floor(mostDescriptors() / 32))))
    .describe(
      'Long-lived git processes, one for each repository that is being read. Less by default where the server may have fewer than 1024 descriptors',
    ),
  readerIdleSeconds: z.number().min(1).max(86_400).default(60).describe('Time after which an idle one ends'),
  cacheBytes: z
    .int()
    .min(mebibyte)
    .max(64 * 1024 * mebibyte)
    .default(256 * mebibyte)
    .describe('Memory for what was read before'),
  scanDepth: z
    .int()
    .min(1)
    .max(32)
    .default(8)
    .describe('Deepest folder below a path in which repositories are looked for'),
  scanFolders: z
    .int()
    .min(1)
    .max(10_000_000)
    .default(200_000)
    .describe('Most folders below a path that are looked into'),
});

export type GitConfig = z.output<typeof config>;
export type ConfiguredRepository = GitConfig['repositories'][number];
