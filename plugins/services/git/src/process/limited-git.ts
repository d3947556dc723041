/**
 * Data of one git command: git holds what differs between two trees as a whole, and the whole object that a small one is made of. Packs,
 * which git maps, do not count.
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
