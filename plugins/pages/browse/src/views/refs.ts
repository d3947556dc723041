import { joinSignals, timeoutSignal } from '@sextant/core';
import type { CommitDetails, Ref } from '@sextant/contracts';
import {
  ago,
  button,
  count,
  fragmentResponse,
  html,
  htmlResponse,
  notice,
  table,
  tabs,
  tag,
  withCode,
} from '@sextant/library-ui';
import type { Content } from '@sextant/library-ui';
import { LRUCache } from 'lru-cache';
import { browseModule } from '../assets.ts';
import { predecessors } from '../render/about.ts';
import { heading } from '../render/heading.ts';
import { linkTo, within } from '../visit.ts';
import type { Visit } from '../visit.ts';
import { historyOf } from './commits.ts';

const mostRefs = 5000;
const mostShown = 500;
const mostSuggested = 12;
/** How many branches are compared with the default branch, and for how many milliseconds. A script asks for the later ones. */
const mostCompared = 50;
/** Commits of each side that are counted. */
const mostCommits = 100;
const waitMs = { page: 20, part: 3000 };

/** By repository and both commits: who may open the repository may know it. */
const remembered = new LRUCache<string, Divergence>({ max: 5000 });

interface Counted {
  readonly commits: number;
  /** Whether there are more. */
  readonly isPartial: boolean;
}

/** How many commits a branch has that the default branch lacks, and the other way round. */
interface Divergence {
  readonly ahead: Counted;
  readonly behind: Counted;
}

/** Branches or tags, each with the way to the same path there. */
export async function showRefs(visit: Visit): Promise<Response> {
  const { repository, address, call, query } = visit;
  if (query.has('suggest')) return suggestRefs(visit, query.get('suggest') ?? '');
  const type = query.get('type') === 'tag' ? 'tag' : 'branch';
  const part = query.get('name')?.trim() ?? '';
  const { refs, hasMore, notes = [] } = await repository.listRefs({ types: [type], limit: mostRefs }, call.signal);
  const matching = refs.filter(({ name }) => name.toLowerCase().includes(part.toLowerCase()));
  const shown = matching.slice(0, mostShown);
  const compared = type === 'branch' && visit.services.history ? shown.slice(0, mostCompared) : [];
  const isPart = query.get('part') === 'list';
  const main = refs.find(({ isDefault }) => isDefault)?.commit ?? '';
  const milliseconds = isPart ? waitMs.part : waitMs.page;
  const [divergences, commits] = await Promise.all([
    divergencesOf(visit, compared, { main, milliseconds }),
    within(milliseconds, commitsOf(visit, shown)),
  ]);
  const known = {
    divergences,
    commits: commits ?? new Map<string, CommitDetails>(),
    before: predecessors(type === 'tag' ? refs : []),
  };
  const isPartial = commits === undefined || divergences.size < compared.length;
  const later = { type, name: part, part: 'list' };
  const list = html`<section
    data-part=${!isPart && isPartial ? linkTo(visit, 'refs', { path: address.rest, query: later }) : undefined}
  >
    ${table({ caption: type === 'tag' ? 'Tags' : 'Branches', columns: columns(visit, known), rows: shown, empty: part === '' ? 'There are none.' : `None has “${part}” in its name.` })}
  </section>`;
  if (isPart) return fragmentResponse(list);
  const tab = (title: string, value: string) => ({
    title,
    path: linkTo(visit, 'refs', { path: address.rest, query: { type: value } }),
    isCurrent: value === type,
  });
  return htmlResponse({
    ...visit.frame,
    modules: [browseModule.path],
    title: `Branches and tags · ${address.repo}`,
    body: html`${heading(visit, address.rest, { title: 'Branches and tags' })}
      <div class="between">${tabs('Kinds', [tab('Branches', 'branch'), tab('Tags', 'tag')])} ${filterForm(visit, type, part)}</div>
      ${list}
      ${(hasMore || matching.length > shown.length) && notice('info', `The first ${count(shown.length, type, type === 'tag' ? 'tags' : 'branches')} are listed. A part of the name finds others.`)}
      ${notes.map((note) => notice('warning', note))}`,
  });
}

/** Branches and tags with a part of a name, for scripts: those that begin with it first. */
async function suggestRefs(visit: Visit, part: string): Promise<Response> {
  const { repository, call } = visit;
  const { refs } = await repository.listRefs({ types: ['branch', 'tag'], limit: mostRefs }, call.signal);
  const wanted = part.trim().toLowerCase();
  const place = ({ name }: Ref): number => name.toLowerCase().indexOf(wanted);
  const found = refs
    .filter((ref) => place(ref) >= 0)
    .toSorted((a, b) => Number(place(a) > 0) - Number(place(b) > 0))
    .slice(0, mostSuggested)
    .map((ref) => ({ name: ref.name, type: ref.type, date: ref.date.slice(0, 10), href: there(visit, ref) }));
  return Response.json({ refs: found }, { headers: { 'cache-control': 'no-store' } });
}

const filterForm = (visit: Visit, type: string, part: string): Content =>
  html`<form class="row" action=${linkTo(visit, 'refs', visit.address.rest)} role="search">
    <input type="hidden" name="type" value=${type} />
    <input type="search" class="short" name="name" value=${part} aria-label="Part of the name" placeholder="Part of the name" autocapitalize="none" spellcheck="false" />
    ${button('Find', { kind: 'plain' })}
  </form>`;

/** Never fails and never takes long: the list is of use without it. */
async function divergencesOf(
  visit: Visit,
  refs: readonly Ref[],
  { main, milliseconds }: { main: string; milliseconds: number },
): Promise<Map<string, Divergence>> {
  const known = new Map<string, Divergence>();
  if (main === '') return known;
  const late = timeoutSignal(milliseconds);
  const counted = { ...visit, call: { ...visit.call, signal: joinSignals(visit.call.signal, late) } };
  const commits = async (head: string, base: string): Promise<Counted> => {
    if (head === base) return { commits: 0, isPartial: false };
    const { results, isLimited } = await historyOf(counted, [head, `^${base}`], { count: mostCommits });
    return { commits: results.length, isPartial: isLimited };
  };
  for (const { name, commit } of refs) {
    const key = [visit.repository.info.name, main, commit].join('\n');
    const before = remembered.get(key);
    if (before) known.set(name, before);
    if (before || late.aborted) continue;
    try {
      const [ahead, behind] = await Promise.all([commits(commit, main), commits(main, commit)]);
      known.set(name, { ahead, behind });
      remembered.set(key, { ahead, behind });
    } catch {
      visit.call.signal.throwIfAborted();
    }
  }
  return known;
}

/** The newest commits of branches and tags. One that cannot be read is left out. */
async function commitsOf({ repository, call }: Visit, refs: readonly Ref[]): Promise<Map<string, CommitDetails>> {
  const read = await Promise.allSettled(refs.map(({ commit }) => repository.readCommit(commit, call.signal)));
  return new Map(read.flatMap((one) => (one.status === 'fulfilled' ? [[one.value.commit, one.value] as const] : [])));
}

interface Known {
  readonly divergences: ReadonlyMap<string, Divergence>;
  readonly commits: ReadonlyMap<string, CommitDetails>;
  readonly before: ReadonlyMap<string, string>;
}

const columns = (visit: Visit, { divergences, commits, before }: Known) => [
  {
    title: 'Name',
    cell: (ref: Ref): Content =>
      html`<a class="strong" href=${there(visit, ref)}>${ref.name}</a> ${ref.isDefault && tag('default', 'info')}`,
  },
  { title: 'Last change', cell: (ref: Ref): Content => lastChange(visit, ref, commits.get(ref.commit)) },
  {
    title: 'Commit',
    cell: ({ commit }: Ref): Content =>
      html`<a class="mono whole" href=${linkTo(visit, 'commit', { path: commit, revision: '' })}>${commit.slice(0, 12)}</a>`,
  },
  ...(divergences.size < 2
    ? []
    : [
        {
          title: 'Against the default branch',
          cell: ({ name, isDefault }: Ref): Content => !isDefault && divergenceText(divergences.get(name)),
        },
      ]),
  {
    title: '',
    cell: (ref: Ref): Content => !ref.isDefault && comparison(visit, ref, before.get(ref.name)),
  },
];

function lastChange(visit: Visit, { commit, date }: Ref, known: CommitDetails | undefined): Content {
  if (!known) return ago(date);
  const title = known.message.split('\n')[0] ?? '';
  return html`<div><a class="commit-title" href=${linkTo(visit, 'commit', { path: commit, revision: '' })}>${title === '' ? 'No message' : withCode(title)}</a><br /><span class="quiet">${known.author.name}, ${ago(date)}</span></div>`;
}

/** Of a branch what it has that the default branch lacks, of a tag what changed since the one before it. */
function comparison(visit: Visit, { name, type }: Ref, before: string | undefined): Content {
  const base = type === 'tag' ? before : visit.repository.info.defaultBranch;
  if (base === undefined) return undefined;
  const link = linkTo(visit, 'compare', { path: `${base}...${name}`, revision: '' });
  return html`<a class="whole" href=${link} title=${`What changed since ${base}`}>${type === 'tag' ? 'Changes' : 'Compare'}</a>`;
}

const divergenceText = (known: Divergence | undefined): Content =>
  known &&
  html`<span class="whole quiet">${number(known.ahead)} ${known.ahead.commits === 1 ? 'commit' : 'commits'} ahead, ${number(known.behind)} behind</span>`;

const number = ({ commits, isPartial }: Counted): string => `${commits}${isPartial ? '+' : ''}`;

const there = (visit: Visit, { name }: Ref): string =>
  linkTo(visit, visit.address.rest === '' ? 'tree' : 'blob', { path: visit.address.rest, revision: name });
