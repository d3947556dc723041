import { filterPattern, languageOfFile, queryOf, repositoriesNamed } from '@sextant/contracts';
import type { Ref } from '@sextant/contracts';
import { escapeRegExp, isSextantError } from '@sextant/core';
import { ago, count, html } from '@sextant/library-ui';
import type { Content } from '@sextant/library-ui';
import { Remembered } from '../remembered.ts';
import { linkTo, pathGlobs, repoFilter } from '../visit.ts';
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

/** What a repository or one of its folders is: languages, activity, releases and who knows it. */
export async function aboutFolder(visit: Visit, commit: string, path: string): Promise<Content> {
  const place = { visit, commit, path };
  const about = await known.find([visit.repository.info.name, commit, path], (signal) => aboutAt(place, signal));
  if (!about) return undefined;
  const { description } = visit.repository.info;
  return html`<aside class="about" aria-label=${path === '' ? 'About this repository' : 'About this folder'}>
    ${path === '' && description !== '' && html`<p>${description}</p>`}
    ${about.files > 0 && languages(place, about)} ${about.commits > 0 && activity(about)} ${about.tags.length > 0 && tags(place, about)} ${about.commits > 0 && authors(place, about)}
  </aside>`;
}

/** A folder at a commit; the path of the root is empty. */
interface Place {
  readonly visit: Visit;
  readonly commit: string;
  readonly path: string;
}

async function aboutAt(place: Place, signal: AbortSignal): Promise<About> {
  const { visit } = place;
  const [paths, commits, { refs: tags }] = await Promise.all([
    pathsOf(place, signal),
    commitsOf(place, signal),
    visit.repository.listRefs({ types: ['tag'], limit: mostTags }, signal),
  ]);
  const before = predecessors(tags);
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
    tags: tags.slice(0, mostShown - 1).map((tag) => ({ ...tag, before: before.get(tag.name) })),
  };
}

/** Never fails: a repository is of use without it. */
async function pathsOf(
  { visit: { services, call, repository, address }, commit, path }: Place,
  signal: AbortSignal,
): Promise<string[]> {
  const revision = address.revision === undefined ? [] : [{ kind: 'rev' as const, revisions: [commit] }];
  const below = path === '' ? [] : [{ kind: 'file' as const, pattern: `^${escapeRegExp(path)}/` }];
  const query = queryOf([repositoriesNamed([repository.info.name]), ...revision, ...below], { types: ['path'] });
  const limits = { files: mostFiles, chunksPerFile: 0, chunkCharacters: 0, lineCharacters: 0 };
  try {
    const found = await services.search?.find(call.caller, { ...query, mode: 'keyword', limits }, signal);
    return found?.files.map(({ path }) => path) ?? [];
  } catch (error) {
    if (isSextantError(error)) return [];
    throw error;
  }
}

async function commitsOf({ visit, commit, path }: Place, signal: AbortSignal) {
  const { services, call, repository } = visit;
  const none = { results: [], isLimited: false };
  const paths = pathGlobs(path);
  const filter = { revisions: [commit], messages: [], authors: [], contents: [], paths, isRegex: false };
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

/** The filters of a search that mean this place alone. */
const searchedPlace = ({ visit, path }: Place): string =>
  [repoFilter(visit.repository.info.name), ...(path === '' ? [] : [`file:^${filterPattern(path)}/`])].join(' ');

function languages(place: Place, { languages: all, files }: About): Content {
  const shown = all.slice(0, mostShown);
  const repo = searchedPlace(place);
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

/** For each tag the one before it by number: releases of several lines alternate in time. */
export function predecessors(tags: readonly Ref[]): ReadonlyMap<string, string> {
  const sorted = tags.map(({ name }) => name).toSorted(byNumber.compare);
  return new Map(sorted.flatMap((name, index) => (index === 0 ? [] : [[name, sorted[index - 1] ?? ''] as const])));
}

/** Each with what changed since the one before. */
const tags = ({ visit, path }: Place, { tags: all }: About): Content =>
  html`<section aria-label="Tags">
    <h2>Tags</h2>
    <ul>
      ${all.map(({ name, date, before }) => {
        const below = path !== '' && { query: { below: path } };
        const changes = before && linkTo(visit, 'compare', { path: `${before}...${name}`, revision: '', ...below });
        return html`<li>
          <a href=${linkTo(visit, 'tree', { path, revision: name })}>${name}</a>
          ${changes && html`<a class="changes-since" href=${changes} title=${`What changed since ${before}`}>Changes</a>`}
          <small>${ago(date)}</small>
        </li>`;
      })}
    </ul>
    <p><a href=${linkTo(visit, 'refs', { path, query: { type: 'tag' } })}>All tags</a></p>
  </section>`;

function authors(place: Place, { authors: all, commits, isPartial }: About): Content {
  const { visit, path } = place;
  const repo = searchedPlace(place);
  const link = (name: string): string =>
    `/search?${new URLSearchParams({ q: `${repo} type:commit author:"${name.replace(/[\\^$.*+?()[\]{}|"]/g, '.')}"` })}`;
  return html`<section aria-label="Contributors">
    <h2>Contributors <small class="quiet">${isPartial ? `the last ${count(commits, 'commit')}` : count(commits, 'commit')}</small></h2>
    <ul>
      ${all.slice(0, mostShown).map(([name, number]) => html`<li><a href=${link(name)}>${name}</a><small>${number.toLocaleString('en')}</small></li>`)}
    </ul>
    <p><a href=${linkTo(visit, 'commits', path)}>All commits</a></p>
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
