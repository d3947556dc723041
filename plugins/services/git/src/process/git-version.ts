import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { messageOf } from '@sextant/core';
import type { Diagnosis } from '@sextant/core';
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
    this.#problem = (await lookAtProgram()).problem;
    this.#isFine = this.#problem === undefined;
  }
}

/** For `sextant doctor`. */
export async function diagnoseGit(): Promise<Diagnosis> {
  const { problem, version } = await lookAtProgram();
  if (problem !== undefined) return { what: 'git', state: 'wrong', text: problem };
  return { what: 'git', state: 'fine', text: version };
}

async function lookAtProgram(): Promise<{ version: string; problem: string | undefined }> {
  try {
    const options = { env: readingEnvironment, timeout: timeoutMs };
    const { stdout } = await promisify(execFile)('git', ['--version'], options);
    return { version: stdout.trim(), problem: problemOfVersion(stdout) };
  } catch (error) {
    const problem = `the program git cannot be run (${messageOf(error)}); install git ${needed.join('.')} or newer, or add it to PATH`;
    return { version: '', problem };
  }
}

/** Describes the problem with a version such as `git version 2.39.5`. Undefined if it is new enough. */
export function problemOfVersion(text: string): string | undefined {
  const [, major = '0', minor = '0'] = /^git version (\d+)\.(\d+)/.exec(text) ?? [];
  if (Number(major) > needed[0] || (Number(major) === needed[0] && Number(minor) >= needed[1])) return undefined;
  return `git is too old or of an unknown kind (${text.trim().slice(0, 100)}); install git ${needed.join('.')} or newer`;
}
