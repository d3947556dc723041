import type { BlamedLine, Repository } from '@sextant/contracts';
import { SextantError, isSextantError } from '@sextant/core';
import { ago, byteSize, codeLines, count, html, withCode } from '@sextant/library-ui';
import type { Content } from '@sextant/library-ui';
import { sourceOf } from '../file-source.ts';
import { filePage } from '../render/file-page.ts';
import { linkTo, commitOf, markedLines } from '../visit.ts';
import type { Visit } from '../visit.ts';
import { shownLines, windowLinks } from './code-view.ts';
import { fileTabs } from './blob.ts';
import { redirect } from './redirect.ts';

/** Milliseconds that a page waits for colours. */
const waitMs = 200;
const mostChanges = 1000;

/** A file with the commit that each line comes from. */
export async function showBlame(visit: Visit): Promise<Response> {
  const { repository, address, call, query, services } = visit;
  const path = address.rest;
  const before = query.get('before');
  if (before !== null) return beforeChange(visit, before);
  const commit = await commitOf(visit);
  const entry = await repository.find(commit, path, call.signal);
  const file = await repository.readText(commit, path, call.signal);
  const source = sourceOf(file, entry.id, path);
  const marked = markedLines(visit.search);
  const [from, to] = shownLines(source.lineCount, marked?.[0] ?? Number(query.get('from') ?? 1));
  const [lines, { markup }] = await Promise.all([
    source.lineCount === 0 ? [] : repository.blame({ commit, path, startLine: from + 1, endLine: to }, call.signal),
    services.highlighter.lines(source, [from, to], waitMs),
  ]);
  const body = html`<div class="code blame" role="region" aria-label=${`Blame of ${path}`} tabindex="0">
      ${groupsOf(lines).map(
        (group) => html`<div class="blamed">
        ${author(visit, group)}
        ${codeLines({ markup: markup.slice(group.from - from - 1, group.to - from), from: group.from, marked, path: '' })}
      </div>`,
      )}
    </div>
    ${windowLinks(linkTo(visit, 'blame', path), [from, to], source.lineCount)}`;
  const facts = [count(source.lineCount, 'line'), byteSize(file.bytes)];
  return filePage({ visit, commit, path, entry }, { body, facts, tabs: fileTabs(visit, path, 'blame') });
}

/** Neighbouring lines that come from one commit. */
interface BlamedGroup {
  readonly blame: BlamedLine;
  readonly from: number;
  readonly to: number;
}

function groupsOf(lines: readonly BlamedLine[]): BlamedGroup[] {
  const groups: BlamedGroup[] = [];
  for (const blame of lines) {
    const last = groups.at(-1);
    if (last?.blame.commit === blame.commit) groups[groups.length - 1] = { ...last, to: blame.line };
    else groups.push({ blame, from: blame.line, to: blame.line });
  }
  return groups;
}

function author(visit: Visit, { blame: { commit, author, title, isCut }, from }: BlamedGroup): Content {
  if (isCut)
    return html`<div class="who">
    <span title="The server has only the later part of the history (a shallow clone)">Before the history here, which begins at <a class="mono" href=${linkTo(visit, 'commit', { path: commit, revision: '' })}>${commit.slice(0, 12)}</a></span>
  </div>`;
  const earlier = linkTo(visit, 'blame', { path: visit.address.rest, query: { before: commit, line: String(from) } });
  return html`<div class=${`who age-${ageOf(author.date)}`}>
    <a href=${linkTo(visit, 'commit', { path: commit, revision: '' })} title=${`${title}\n${author.name} <${author.email}>\n${commit}`}>${title === '' ? commit.slice(0, 12) : withCode(title)}</a>
    <span><b>${author.name},</b> ${ago(author.date)}</span>
    <a class="before" href=${earlier} rel="nofollow" title="The file before this change" aria-label=${`Line ${from} before this change`}>↶</a>
  </div>`;
}

const day = 86_400_000;
/** The newest age whose days have not passed; its number chooses the colour. */
const ages = [30, 180, 365, 3 * 365];

function ageOf(date: string): number {
  const days = (Date.now() - Date.parse(date)) / day;
  const age = ages.findIndex((limit) => days < limit);
  return age < 0 ? ages.length : age;
}

/** Where a line was before a commit changed it: the file at its first parent, also under an older name; else the commit. */
async function beforeChange(visit: Visit, revision: string): Promise<Response> {
  const { repository, address, call, query } = visit;
  if (!/^[0-9a-f]{40,64}$/.test(revision))
    throw new SextantError('invalid_argument', 'before is the full hash of a commit');
  const { commit, parents, isCut } = await repository.readCommit(revision, call.signal);
  const parent = isCut ? undefined : parents[0];
  const path = parent && (await pathBefore(repository, { parent, commit, path: address.rest }, call.signal));
  if (!parent || path === undefined) return redirect(linkTo(visit, 'commit', { path: commit, revision: '' }));
  const line = /^\d{1,9}$/.exec(query.get('line') ?? '')?.[0];
  return redirect(linkTo(visit, 'blame', { path, revision: parent }) + (line === undefined ? '' : `?L${line}`));
}

async function pathBefore(
  repository: Repository,
  { parent, commit, path }: { parent: string; commit: string; path: string },
  signal: AbortSignal,
): Promise<string | undefined> {
  try {
    await repository.find(parent, path, signal);
    return path;
  } catch (error) {
    if (!isSextantError(error) || error.code !== 'not_found') throw error;
  }
  const page = { base: parent, head: commit, offset: 0, limit: mostChanges, filesOnly: true };
  const { files } = await repository.compare(page, signal);
  return files.find((file) => file.path === path)?.previousPath;
}
