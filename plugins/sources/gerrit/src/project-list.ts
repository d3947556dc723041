import { SextantError } from '@sextant/core';
import type { HostApi } from '@sextant/library-host-api';
import { z } from 'zod';
import { change, projects } from './answers.ts';
import type { GerritProject } from './answers.ts';

const pageLength = 1000;
/** Changes in a page, and the most pages: more than that were submitted only if nobody asked for hours. */
const changesAtOnce = 500;
const mostChangePages = 20;
/** Time by which clocks and the index of changes may be late. */
const lateMs = 300_000;

export interface Listing {
  readonly api: HostApi;
  /** Beginnings of names; none: all projects. */
  readonly prefixes: readonly string[];
  readonly signal: AbortSignal;
}

/**
 * Every project that the account sees and the configuration asks for, by name, but for hidden ones: nobody can clone those. Throws
 * `unavailable` where one may be missing: pages are counted by the projects before them.
 */
export async function listProjects({ api, prefixes, signal }: Listing): Promise<Map<string, GerritProject>> {
  const all = new Map<string, GerritProject>();
  for (const prefix of queriesOf(prefixes)) {
    const once = await projectsOf(api, prefix, signal);
    const again = once.pages > 1 ? await projectsOf(api, prefix, signal) : once;
    if ([...once.found.keys()].join('\n') !== [...again.found.keys()].join('\n')) throw torn();
    for (const [name, project] of again.found)
      if (project.state !== 'HIDDEN' && name.startsWith(prefix.p ?? '')) all.set(name, project);
  }
  return all;
}

/**
 * Names of projects whose HEAD is their configuration. `size`: how many there are of all kinds, for Gerrit counts pages by the
 * projects that it went through, and does not tell reliably where such a list ends.
 */
export async function listWithoutCode({ api, prefixes, signal }: Listing, size: number): Promise<string[]> {
  const names: string[] = [];
  for (const prefix of queriesOf(prefixes))
    for (let at = 0; at < size; at += pageLength) {
      const query = { ...prefix, type: 'PERMISSIONS', n: pageLength, S: at };
      const { value } = await api.read({ path: '/a/projects/', query, schema: projects, waits: true, signal });
      names.push(...value.map(([name]) => name));
    }
  return names;
}

/** When a change was last submitted to each project (RFC 3339 in UTC), of changes that were touched after a moment or little before. */
export async function listSubmitted({ api, signal }: Listing, after: number): Promise<Map<string, string>> {
  const since = new Date(after - lateMs).toISOString().replace('T', ' ').replace('Z', '');
  const found = new Map<string, string>();
  for (let page = 0; page < mostChangePages; page += 1) {
    const query = { q: `status:merged after:"${since} +0000"`, n: changesAtOnce, S: page * changesAtOnce };
    const { value } = await api.read({ path: '/a/changes/', query, schema: z.array(change), waits: true, signal });
    for (const { project, submitted } of value)
      if (submitted > (found.get(project) ?? '')) found.set(project, submitted);
    if (value.at(-1)?._more_changes !== true) break;
  }
  return found;
}

const queriesOf = (prefixes: readonly string[]): { p?: string }[] =>
  prefixes.length > 0 ? prefixes.map((p) => ({ p })) : [{}];

interface Found {
  readonly found: Map<string, GerritProject>;
  readonly pages: number;
}

/** Ends with an empty page: a list from Gerrit's index may be cut without a word. */
async function projectsOf(api: HostApi, prefix: { p?: string }, signal: AbortSignal): Promise<Found> {
  const found = new Map<string, GerritProject>();
  for (let pages = 0; ; pages += 1) {
    const before = found.size;
    const query = { ...prefix, d: '', n: pageLength, S: before };
    const { value } = await api.read({ path: '/a/projects/', query, schema: projects, waits: true, signal });
    if (value.length === 0) return { found, pages };
    for (const [name, project] of value) found.set(name, project);
    if (found.size !== before + value.length) throw torn();
  }
}

const torn = (): SextantError => new SextantError('unavailable', 'projects came or went while they were listed');
