import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { SextantError, messageOf } from '@sextant/core';
import type { Plugin } from '@sextant/core';
import { importLocalPlugin } from '../plugins/import-plugin.ts';
import { localEntry } from '../plugins/plugin-entry.ts';
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

type Settings = Readonly<Record<string, unknown>>;

/**
 * Runs a plugin in a server of its own, with sample repositories, and checks what every plugin should do. Then runs the
 * plugin's own tests. Throws `not_found` for a path without a plugin.
 */
export async function checkPlugin(given: string, settings: Settings): Promise<Finding[]> {
  const path = resolve(given);
  const file = await localEntry(path, process.cwd());
  if (file === undefined) throw new SextantError('not_found', `${path} is neither a file nor a folder with a plugin`);
  const plugin = await importLocalPlugin(file);
  const isFolder = (await stat(path)).isDirectory();
  return [...(await running(plugin, path, settings)), ...(isFolder ? await ownTests(path, plugin.name) : [])];
}

async function running({ name, tools }: Plugin, path: string, settings: Settings): Promise<Finding[]> {
  try {
    const server = await startSampleServer({ name, path, settings });
    try {
      const findings: Finding[] = [{ subject: name, check: 'starts' }];
      for (const tool of tools) findings.push(...(await findingsOn(tool.name, server)));
      return findings;
    } finally {
      await server[Symbol.asyncDispose]();
    }
  } catch (error) {
    return [{ subject: name, check: 'starts', problem: messageOf(error) }];
  }
}

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
