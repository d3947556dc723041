import { History, Links, Repositories, Search, Sessions, Symbols, pageFrame } from '@sextant/contracts';
import { definePage, isSextantError, optional } from '@sextant/core';
import type { Call } from '@sextant/core';
import { mayBeAddress } from './address.ts';
import type { View } from './address.ts';
import { highlighting } from './highlighting.ts';
import { showBlame } from './views/blame.ts';
import { refusal } from './views/refusal.ts';
import { showBlob } from './views/blob.ts';
import { showCommit } from './views/commit.ts';
import { showCommits } from './views/commits.ts';
import { showComparison } from './views/compare.ts';
import { showFoundFiles } from './views/find-file.ts';
import { showLines } from './views/lines.ts';
import { showRaw } from './views/raw.ts';
import { showRefs } from './views/refs.ts';
import { showSymbol } from './views/symbol.ts';
import { showTree } from './views/tree.ts';
import { open } from './visit.ts';
import type { Services, Visit } from './visit.ts';

const show: Readonly<Record<View, (visit: Visit) => Promise<Response>>> = {
  blob: showBlob,
  tree: showTree,
  raw: showRaw,
  lines: showLines,
  symbol: showSymbol,
  commit: showCommit,
  commits: showCommits,
  compare: showComparison,
  refs: showRefs,
  blame: showBlame,
  files: showFoundFiles,
};

/** The tools that do what the views show. The others are parts of pages, or moves between them. */
const toolOf: Partial<Record<View, string>> = {
  blob: 'read_file',
  raw: 'read_file',
  blame: 'read_file',
  tree: 'list_files',
  symbol: 'go_to_definition',
  commits: 'commit_search',
  commit: 'compare_revisions',
  compare: 'compare_revisions',
  refs: 'list_refs',
};

/** Everything below the name of a repository. */
export const repositoryPage = definePage({
  name: 'repository',
  method: 'GET',
  path: '/**',
  access: { scope: 'all' },
  accepts: mayBeAddress,
  needs: {
    repositories: Repositories,
    links: Links,
    history: optional(History),
    search: optional(Search),
    symbols: optional(Symbols),
    sessions: optional(Sessions),
    highlighter: highlighting,
  },
  async respond(request, services, call) {
    try {
      return await respond(request, services, call);
    } catch (error) {
      if (!isSextantError(error) || !isForPeople(request)) throw error;
      return refusal(error, await pageFrame(request, call, services.sessions), new URL(request.url).pathname);
    }
  },
});

async function respond(request: Request, services: Services, call: Call): Promise<Response> {
  const { pathname, search, searchParams } = new URL(request.url);
  const { repository, address } = await open(pathname, services, call);
  call.noteRepository?.(repository.info.name);
  if (address.view === 'compare' && searchParams.has('base')) return toComparison(pathname, searchParams);
  const frame = await pageFrame(request, call, services.sessions);
  const { headers } = request;
  const visit = { services, call, frame, query: searchParams, search, headers, repository, address };
  const response = await show[address.view](visit);
  const tool = searchParams.has('outline') || searchParams.has('part') ? undefined : toolOf[address.view];
  if (tool !== undefined && response.status === 200) call.countAs?.(tool, tool === 'read_file' ? [address.rest] : []);
  return response;
}

/** Where the form for a comparison leads. */
function toComparison(pathname: string, fields: URLSearchParams): Response {
  const pair = `${encodeURIComponent(fields.get('base') ?? '')}...${encodeURIComponent(fields.get('head') ?? '')}`;
  const below = fields.get('below') ?? '';
  const location = `${pathname.replace(/\/?$/, '/')}${pair}${below === '' ? '' : `?${new URLSearchParams({ below })}`}`;
  return new Response(null, { status: 302, headers: { location } });
}

/** Whether a person reads the answer; scripts get what the host says to all of them. */
const isForPeople = ({ headers, url }: Request): boolean =>
  (headers.get('accept') ?? '').includes('text/html') && !url.includes('/-/raw/');
