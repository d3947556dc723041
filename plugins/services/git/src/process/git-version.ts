import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { messageOf } from '@sextant/core';
import { readingEnvironment } from './git-environment.ts';

const needed = [2, 36] as const;
const timeoutMs = 10_000;

/** Whether the git program can be used; asked again as long as it cannot. */
export class GitVersion {
  #problem: string | undefined;
  #isFine = false;

  /** Why it cannot be used, and what to do. */
  get problem(): string | undefined {
    return this.#problem;
  }

  async check(): Promise<void> {
    if (this.#isFine) return;
    this.#problem = await problemOfProgram();
    this.#isFine = this.#problem === undefined;
  }
}

async function problemOfProgram(): Promise<string | undefined> {
  try {
    const { stdout } = await promisify(execFile)('git', ['--version'], {
      env: readingEnvironment,
      timeout: timeoutMs,
    });
    return problemOfVersion(stdout);
  } catch (error) {
    return `the program git cannot be run (${messageOf(error)}); install git ${needed.join('.')} or newer, or add it to PATH`;
  }
}

/** Describes the problem with a version such as `git version 2.39.5`. Undefined if it is new enough. */
export function problemOfVersion(text: string): string | undefined {
  const [, major = '0', minor = '0'] = /^git version (\d+)\.(\d+)/.exec(text) ?? [];
  if (Number(major) > needed[0] || (Number(major) === needed[0] && Number(minor) >= needed[1])) return undefined;
  return `git is too old or of an unknown kind (${text.trim().slice(0, 100)}); install git ${needed.join('.')} or newer`;
}
