import { languageOfFile, queryOf, repositoriesNamed } from '@sextant/contracts';
import type { Ref } from '@sextant/contracts';
import { isSextantError } from '@sextant/core';
import { ago, count, html } from '@sextant/library-ui';
import type { Content } from '@sextant/library-ui';
import { Remembered } from '../remembered.ts';
import { linkTo, repoFilter } from '../visit.ts';
import type { Visit } from '../visit.ts';

/** What stands beside the files of a repository. */
interface About {
  /** Files of each language, most first. */
  readonly languages: readonly (readonly [name: string, files: number])[];
  readonly files: number;
  /** Authors of the newest commits, most first. */
  readonly authors: readonly (readonly [name: string, commits: number])[];
  /** Commits of each week whose commits were all counted, the oldest first; the last is this week. */
  readonly weeks: readonly number[];
  readonly commits: number;
  /** Whether older commits were not counted. */
  readonly isPartial: boolean;
  /** Newest first, each with the one before it by number: releases of several lines alternate in time. */
  readonly tags: readonly (Ref & { readonly before: string | undefined })[];
}

const mostFiles = 20_000;
const mostCommits = 1000;
const mostShown = 6;
const mostTags = 2000;
const week = 7 * 86_400_000;
const weeksShown = 26;

const known = new Remembered<About>(200);

export async function aboutRepository(visit: Visit, commit: string): Promise<Content> {
  const about = await known.find([visit.repository.info.name, commit], (signal) => aboutAt(visit, commit, signal));
  if (!about) return undefined;
  return html`<aside class="about" aria-label="About this repository">
    ${visit.repository.info.description !== '' && html`<p>${visit.repository.info.description}</p>`}
    ${about.files > 0 && languages(visit, about)} ${about.commits > 0 && activity(about)} ${about.tags.length > 0 && tags(visit, about)} ${about.commits > 0 && authors(visit, about)}
  </aside>`;
}

async function aboutAt(visit: Visit, commit: string, signal: AbortSignal): Promise<About> {
  const [paths, commits, { refs: tags }] = await Promise.all([
    pathsOf(visit, commit, signal),
    commitsOf(visit, commit, signal),
    visit.repository.listRefs({ types: ['tag'], limit: mostTags }, signal),
  ]);
  const now = Date.now();
  const ages = commits.results.map(({ date }) => Math.floor((now - Date.parse(date)) / week));
  const weeks = commits.isLimited ? Math.min(weeksShown, Math.max(0, ...ages)) : weeksShown;
  return {
    languages: mostOften(paths.flatMap((path) => languageOfFile(path) ?? [])),
    files: paths.length,
    authors: mostOften(commits.results.map(({ author }) => author.name)),
    weeks: Array.from({ length: weeks }, (_, index) => ages.filter((age) => age === weeks - 1 - index).length),
    commits: commits.results.length,
    isPartial: commits.isLimited,
    tags: tags.slice(0, mostShown - 1).map((tag) => ({ ...tag, before: before(tag.name, tags) })),
  };
}

/** Never fails: a repository is of use without it. */
async function pathsOf(
  { services, call, repository, address }: Visit,
  commit: string,
  signal: AbortSignal,
): Promise<string[]> {
  const revision = address.revision === undefined ? [] : [{ kind: 'rev' as const, revisions: [commit] }];
  const query = queryOf([repositoriesNamed([repository.info.name]), ...revision], { types: ['path'] });
  const limits = { files: mostFiles, chunksPerFile: 0, chunkCharacters: 0, lineCharacters: 0 };
  try {
    const found = await services.search?.find(call.caller, { ...query, mode: 'keyword', limits }, signal);
    return found?.files.map(({ path }) => path) ?? [];
  } catch (error) {
    if (isSextantError(error)) return [];
    throw error;
  }
}

async function commitsOf({ services, call, repository }: Visit, commit: string, signal: AbortSignal) {
  const none = { results: [], isLimited: false };
  const filter = { revisions: [commit], messages: [], authors: [], contents: [], paths: [], isRegex: false };
  const request = { ...filter, repositories: [repository.info.name], count: mostCommits };
  try {
    return (await services.history?.commits(call.caller, request, signal)) ?? none;
  } catch (error) {
    if (isSextantError(error)) return none;
    throw error;
  }
}

const mostOften = (values: readonly string[]): (readonly [string, number])[] =>
  [...Map.groupBy(values, (value) => value)]
    .map(([value, { length }]) => [value, length] as const)
    .toSorted(([a, most], [b, more]) => more - most || (a < b ? -1 : 1));

function languages(visit: Visit, { languages: all, files }: About): Content {
  const shown = all.slice(0, mostShown);
  const repo = repoFilter(visit.repository.info.name);
  const link = (name: string): string =>
    `/search?${new URLSearchParams({ q: `${repo} type:path lang:${/\s/.test(name) ? `"${name}"` : name.toLowerCase()}` })}`;
  return html`<section aria-label="Languages">
    <h2>Languages <small class="quiet">${count(files, 'file')}</small></h2>
    <ul>
      ${shown.map(([name, number]) => html`<li><a href=${link(name)}>${name}</a><progress max="100" value=${Math.max(1, Math.round((100 * number) / files))} aria-label=${`${name}, share of files`}></progress><small>${number.toLocaleString('en')}</small></li>`)}
    </ul>
  </section>`;
}

const byNumber = new Intl.Collator('en', { numeric: true });

function before(name: string, tags: readonly Ref[]): string | undefined {
  const lower = tags.filter((tag) => byNumber.compare(tag.name, name) < 0);
  return lower.toSorted((a, b) => byNumber.compare(b.name, a.name))[0]?.name;
}

/** Each with what changed since the one before. */
const tags = (visit: Visit, { tags: all }: About): Content =>
  html`<section aria-label="Tags">
    <h2>Tags</h2>
    <ul>
      ${all.map(({ name, date, before }) => {
        const changes = before && linkTo(visit, 'compare', { path: `${before}...${name}`, revision: '' });
        return html`<li>
          <a href=${linkTo(visit, 'tree', { path: '', revision: name })}>${name}</a>
          ${changes && html`<a class="changes-since" href=${changes} title=${`What changed since ${before}`}>Changes</a>`}
          <small>${ago(date)}</small>
        </li>`;
      })}
    </ul>
    <p><a href=${linkTo(visit, 'refs', { path: '', query: { type: 'tag' } })}>All tags</a></p>
  </section>`;

function authors(visit: Visit, { authors: all, commits, isPartial }: About): Content {
  const repo = repoFilter(visit.repository.info.name);
  const link = (name: string): string =>
    `/search?${new URLSearchParams({ q: `${repo} type:commit author:"${name.replace(/[\\^$.*+?()[\]{}|"]/g, '.')}"` })}`;
  return html`<section aria-label="Contributors">
    <h2>Contributors <small class="quiet">${isPartial ? `the last ${count(commits, 'commit')}` : count(commits, 'commit')}</small></h2>
    <ul>
      ${all.slice(0, mostShown).map(([name, number]) => html`<li><a href=${link(name)}>${name}</a><small>${number.toLocaleString('en')}</small></li>`)}
    </ul>
    <p><a href=${linkTo(visit, 'commits', '')}>All commits</a></p>
  </section>`;
}

/** Commits of each week as bars. The text says what the picture shows. */
function activity({ weeks }: About): Content {
  const total = weeks.reduce((sum, number) => sum + number, 0);
  if (total === 0) return undefined;
  const most = Math.max(1, ...weeks);
  const [width, height] = [10, 40];
  return html`<section aria-label="Activity">
    <h2>Activity <small class="quiet">${count(total, 'commit')} in ${count(weeks.length, 'week')}</small></h2>
    <svg viewBox=${`0 0 ${weeks.length * width} ${height}`} role="img" aria-label=${`Commits of each of the last ${weeks.length} weeks, at most ${most}`} preserveAspectRatio="none">
      ${weeks.map((number, index) => {
        const bar = Math.max(1, Math.round((number / most) * height));
        return html`<rect x=${index * width + 1} y=${height - bar} width=${width - 2} height=${bar}><title>${count(number, 'commit')}</title></rect>`;
      })}
    </svg>
  </section>`;
}
