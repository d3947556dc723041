import { stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { SextantError, capabilities, isSextantError, messageOf } from '@sextant/core';
import { fittingPackage } from '../plugins/fits-version.ts';
import { importIsolated } from '../plugins/import-isolated.ts';
import { importLocalPlugin } from '../plugins/import-plugin.ts';
import { entryDefaults } from '../plugins/plugin-entries.ts';
import { localEntry, nothingAt } from '../plugins/plugin-entry.ts';
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
  if (file === undefined) throw new SextantError('not_found', await nothingAt(path, process.cwd()));
  await fittingPackage(file);
  const { name, findings } = await running(file, path, options);
  const isFolder = (await stat(path).catch(() => undefined))?.isDirectory() === true;
  return [...findings, ...(isFolder ? await ownTests(path, name) : [])];
}

/** How the operator may run it. */
const isolated = { allow: capabilities };
const trusted = { trusted: true };

interface Checked {
  name: string;
  findings: Finding[];
}

/** In a process of its own, as a server runs it that is told no more than its name; where that cannot be, trusted. */
async function running(file: string, path: string, options: CheckOptions): Promise<Checked> {
  let name: string | undefined;
  let server: SampleServer;
  try {
    const described = await importIsolated(file, { ...entryDefaults, allow: [...capabilities] }, dirname(path));
    ({ name } = described.plugin);
    server = await startSampleServer({ name, path, ...options, flags: isolated });
  } catch (error) {
    // A module that never loads would keep this process from going on, too.
    if (name === undefined && isSextantError(error) && error.code === 'timeout') throw error;
    return inProcess(file, path, { options, reason: messageOf(error) });
  }
  const findings = await findingsOf(name, 'runs in a process of its own', server);
  return { name, findings };
}

async function inProcess(
  file: string,
  path: string,
  { options, reason }: { options: CheckOptions; reason: string },
): Promise<Checked> {
  const { name } = await importLocalPlugin(file);
  try {
    const server = await startSampleServer({ name, path, ...options, flags: trusted });
    return {
      name,
      findings: await findingsOf(name, `runs with "trusted: true" alone: ${withoutRemedy(reason)}`, server),
    };
  } catch (error) {
    return { name, findings: [{ subject: name, check: 'starts', problem: forAuthors(messageOf(error)) }] };
  }
}

/** Of a service that is missing, a check is told otherwise than a configuration. */
const forAuthors = (problem: string): string =>
  problem.replace(
    /(?<=which no loaded plugin provides); load a plugin that does.*/s,
    '; "--with PATH" loads one that does',
  );

/** The remedy is for operators. */
const withoutRemedy = (reason: string): string => reason.replace(/[.;] if you trust .*/is, '');

async function findingsOf(name: string, where: string, server: SampleServer): Promise<Finding[]> {
  try {
    const findings: Finding[] = [
      { subject: name, check: 'starts' },
      { subject: name, check: where },
    ];
    const plugin = server.generation.assembly.plugins.find((each) => each.name === name);
    for (const tool of plugin?.tools ?? []) findings.push(...(await findingsOn(tool.name, server)));
    if (plugin) findings.push(...(await kindFindings(plugin, server)));
    findings.push({ subject: name, check: 'closes and starts again', ...(await problemOf(server.restart())) });
    return findings;
  } finally {
    await server[Symbol.asyncDispose]();
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
