import { devNull } from 'node:os';

/** Variables of the server that git may see; everything else, all of GIT_* first, is cleared. */
const inherited = ['PATH', 'TMPDIR', 'SYSTEMROOT'];
/** What the transports of a clone need besides. */
const inheritedByTransports = [
  'HOME',
  'http_proxy',
  'https_proxy',
  'HTTPS_PROXY',
  'no_proxy',
  'NO_PROXY',
  'SSL_CERT_FILE',
  'SSL_CERT_DIR',
];

const fixed = {
  LC_ALL: 'C',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_SYSTEM: devNull,
  GIT_CONFIG_GLOBAL: devNull,
  GIT_ATTR_NOSYSTEM: '1',
  // Replacements and grafts would make a hash name other content than what it hashes.
  GIT_NO_REPLACE_OBJECTS: '1',
  GIT_GRAFT_FILE: devNull,
  // A served repository is never written to, not even to refresh an index.
  GIT_OPTIONAL_LOCKS: '0',
  GIT_LITERAL_PATHSPECS: '1',
  GIT_TERMINAL_PROMPT: '0',
  // Missing objects of a partial clone are missing; nothing is fetched to answer a call (git before 2.45 heeds only the second).
  GIT_NO_LAZY_FETCH: '1',
  GIT_ALLOW_PROTOCOL: 'none',
};

/** Settings that win over those in the repository's own configuration, which whoever made the repository wrote. */
const settings: readonly (readonly [string, string])[] = [
  ['core.fsmonitor', 'false'],
  ['core.hooksPath', devNull],
  ['core.attributesFile', devNull],
  ['core.quotePath', 'true'],
  ['core.useReplaceRefs', 'false'],
  ['advice.graftFileDeprecated', 'false'],
  ['diff.algorithm', 'myers'],
  ['diff.orderFile', devNull],
  ['submodule.recurse', 'false'],
];

/** The environment of a git command that reads one repository. */
export const readingEnvironment: NodeJS.ProcessEnv = { ...pick(inherited), ...fixed };

/** The arguments before the command's name. `--git-dir` is explicit, so that git neither searches nor asks for the folder's owner. */
export const readingArguments = (gitFolder: string): string[] => [
  ...settings.flatMap(([key, value]) => ['-c', `${key}=${value}`]),
  '-c',
  `safe.directory=${gitFolder}`,
  `--git-dir=${gitFolder}`,
];

/** The environment of a command that speaks to another host: one protocol, no questions, extra settings out of sight of `ps`. */
export function transportEnvironment(
  protocols: readonly string[],
  extra: readonly (readonly [string, string])[],
): NodeJS.ProcessEnv {
  const all = [...settings, ['credential.helper', ''] as const, ...extra];
  const numbered = all.flatMap(([key, value], index) => [
    [`GIT_CONFIG_KEY_${index}`, key],
    [`GIT_CONFIG_VALUE_${index}`, value],
  ]);
  return {
    ...readingEnvironment,
    ...pick(inheritedByTransports),
    ...authorities(),
    GIT_ALLOW_PROTOCOL: protocols.join(':'),
    GIT_SSH_VARIANT: 'ssh',
    GIT_CONFIG_COUNT: String(all.length),
    ...Object.fromEntries(numbered),
  };
}

/** The server's own certificates for git, too: a git that was built with GnuTLS heeds only its own variables. */
function authorities(): NodeJS.ProcessEnv {
  const { SSL_CERT_FILE, SSL_CERT_DIR } = process.env;
  return {
    ...(SSL_CERT_FILE !== undefined && { GIT_SSL_CAINFO: SSL_CERT_FILE }),
    ...(SSL_CERT_DIR !== undefined && { GIT_SSL_CAPATH: SSL_CERT_DIR }),
  };
}

function pick(names: readonly string[]): NodeJS.ProcessEnv {
  return Object.fromEntries(
    names.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]])),
  );
}

/**
 * Memory for data of one git command. Git holds the whole difference of two trees, and the whole base of a small object.
 * Packs do not count, because git maps them.
 */
const dataBytes = 1 << 30;
/** Of a processor. A server that is killed stops no command of its own: one that prints nothing would go on for ever. */
const processorSeconds = 3600;

/** Where a system has no such limit the command runs without. */
const limited = (limits: string, args: readonly string[]): [program: string, args: string[]] => [
  '/bin/sh',
  ['-c', `${limits} exec git "$@"`, 'git', ...args],
];
const memoryLimit = (bytes: number): string => `ulimit -d ${Math.floor(bytes / 1024)} 2>/dev/null;`;
const readingLimits = `${memoryLimit(dataBytes)} ulimit -t ${processorSeconds} 2>/dev/null;`;

/** The program and its arguments that run git with bounded memory; nothing of `args` is interpreted. */
export const limitedGit = (args: readonly string[]): [program: string, args: string[]] => limited(readingLimits, args);

/** The same for a command that speaks to another host, which decides how much git must hold. */
export const limitedTransport = (args: readonly string[], memoryBytes: number): [program: string, args: string[]] =>
  limited(memoryLimit(memoryBytes), args);

/** Whether what git wrote to its standard error says that the memory was too little. */
export const lacksMemory = (stderr: string): boolean => /out of memory|mmap failed/i.test(stderr);
