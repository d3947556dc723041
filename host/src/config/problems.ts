import { SextantError } from '@sextant/core';
import type { ConfigFile } from './config-file.ts';

/** One mistake in a configuration: the key, and what is wrong with it. */
export interface Problem {
  readonly path: readonly PropertyKey[];
  readonly text: string;
}

/** A configuration that cannot be put into force. The message has a line for each mistake. */
export class ConfigError extends SextantError {
  readonly problems: readonly string[];

  constructor(problems: readonly string[], options?: ErrorOptions) {
    super('invalid_argument', problems.join('\n'), options);
    this.problems = problems;
  }
}

/** A line for each problem, in the order of the file. */
export function describeProblems(problems: readonly Problem[], file: Pick<ConfigFile, 'name' | 'lineOf'>): string[] {
  const placed = problems.map((problem) => ({ problem, line: lineAbove(problem.path, file) }));
  const sorted = placed.toSorted((a, b) => (a.line ?? 0) - (b.line ?? 0));
  return sorted.map(({ problem, line }) => describeProblem(problem, file.name, line));
}

/** `sextant.config.yaml: limits.callSeconds: expected …, found "fast" (line 3)` */
function describeProblem({ path, text }: Problem, fileName: string, line: number | undefined): string {
  return [fileName, keyPath(path), `${text}${line === undefined ? '' : ` (line ${line})`}`].filter(Boolean).join(': ');
}

/** A missing key has no line; the line of the object that should have it is used. */
function lineAbove(path: readonly PropertyKey[], file: Pick<ConfigFile, 'lineOf'>): number | undefined {
  if (path.length === 0) return undefined;
  return file.lineOf(path) ?? lineAbove(path.slice(0, -1), file);
}

/** `users[0].name`; keys with dots or other marks are quoted unless they stand alone at the top. */
export function keyPath(path: readonly PropertyKey[]): string {
  return path.reduce<string>((text, key, index) => {
    if (typeof key === 'number') return `${text}[${key}]`;
    const name = String(key);
    if (index === 0) return name;
    return /^[\w-]+$/.test(name) ? `${text}.${name}` : `${text}[${JSON.stringify(name)}]`;
  }, '');
}
