import type { ReadTask } from './read-task.ts';

/** Words of those who want to know everything. */
const vague = new Set(
  `anything architecture base basic basics code codebase codebases component components content contents describe description design detail details
discover entire everything explain explanation explore familiar file files find folder folders general help high idea important information
introduce introduction know layout learn level list locate look main module modules organised organized overall overview package packages part
parts program programs project projects purpose readme repo repos repository repositories show software source structure structured
study summarise summarize summary system tell thing things tour understand whole work working works write written`.split(
    /\s+/,
  ),
);

/** Whether a task asks for an overview: it names no place, and nothing that could be looked for. */
export const isBroad = ({ words, identifiers, paths, phrases }: ReadTask): boolean =>
  identifiers.length + paths.length + phrases.length === 0 && words.every(({ text }) => vague.has(text));
