/**
 * Data of one git command: git holds what differs between two trees as a whole, and the whole object that a small one is made of. Packs,
 * which git maps, do not count.
 */
const dataKibibytes = 1 << 20;
/** Of a processor. A server that is killed stops no command of its own: one that prints nothing would go on for ever. */
const processorSeconds = 3600;

/** Where a system has no such limit the command runs without. */
const script = `ulimit -d ${dataKibibytes} 2>/dev/null; ulimit -t ${processorSeconds} 2>/dev/null; exec git "$@"`;

/** The program and its arguments that run git with bounded memory; nothing of `args` is interpreted. */
export const limitedGit = (args: readonly string[]): [program: string, args: string[]] => [
  '/bin/sh',
  ['-c', script, 'git', ...args],
];

/** Whether what git wrote to its standard error says that the memory was too little. */
export const lacksMemory = (stderr: string): boolean => /out of memory|mmap failed/i.test(stderr);
