import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { SextantError, messageOf } from '@sextant/core';
import type { Plugin } from '@sextant/core';
import { importLocalPlugin } from '../plugins/import-plugin.ts';
import { localEntry } from '../plugins/plugin-entry.ts';
import { kindFindings } from './kind-checks.ts';
import { ownTests } from './own-tests.ts';
import { startSampleServer } from './sample-server.ts';
import type { SampleServer } from './sample-server.ts';
import { toolChecks } from './tool-checks.ts';

/** What one check found. */
export interface Finding {
  /** The plugin, or a tool of it. */
  readonly subject: string;
  readonly check: string;
  /** Absent: it passed. */
  readonly problem?: string;
}

/** What the server of a check has besides the plugin. */
export interface CheckOptions {
  readonly settings: Readonly<Record<string, unknown>>;
  /** Absolute paths of other plugins that it needs. */
  readonly with: readonly string[];
  /** Plugins of the preset that are switched off, such as the one whose place it takes. */
  readonly without: readonly string[];
}

/**
 * Runs a plugin in a server of its own, with sample repositories, and checks what every plugin should do. Then runs the
 * plugin's own tests. Throws `not_found` for a path without a plugin.
 */
export async function checkPlugin(given: string, options: CheckOptions): Promise<Finding[]> {
  const path = resolve(given);
  const file = await localEntry(path, process.cwd());
  if (file === undefined) throw new SextantError('not_found', `${path} is neither a file nor a folder with a plugin`);
  const plugin = await importLocalPlugin(file);
  const isFolder = (await stat(path)).isDirectory();
  return [...(await running(plugin, path, options)), ...(isFolder ? await ownTests(path, plugin.name) : [])];
}

async function running({ name, tools }: Plugin, path: string, options: CheckOptions): Promise<Finding[]> {
  try {
    const server = await startSampleServer({ name, path, ...options });
    try {
      const findings: Finding[] = [{ subject: name, check: 'starts' }];
      for (const tool of tools) findings.push(...(await findingsOn(tool.name, server)));
      const plugin = server.generation.assembly.plugins.find((each) => each.name === name);
      if (plugin) findings.push(...(await kindFindings(plugin, server)));
      findings.push({ subject: name, check: 'closes and starts again', ...(await problemOf(server.restart())) });
      return findings;
    } finally {
      await server[Symbol.asyncDispose]();
    }
  } catch (error) {
    return [{ subject: name, check: 'starts', problem: messageOf(error) }];
  }
}

const problemOf = (work: Promise<void>): Promise<{ problem?: string }> =>
  work.then(
    () => ({}),
    (error: unknown) => ({ problem: messageOf(error) }),
  );

/** The tool as the server has it: the module may have been imported once more. */
async function findingsOn(name: string, server: SampleServer): Promise<Finding[]> {
  const listed = server.generation.registry.find('/.api/mcp/all', name);
  if (!listed) return [{ subject: name, check: 'listed', problem: 'the server does not list it' }];
  const findings: Finding[] = [];
  for (const check of toolChecks) {
    const problem = await check.run(listed.tool, server).catch(messageOf);
    findings.push({ subject: name, check: check.name, ...(problem !== undefined && { problem }) });
  }
  return findings;
}
