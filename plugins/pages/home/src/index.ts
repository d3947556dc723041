import {
  IndexStates,
  Links,
  Repositories,
  Sessions,
  isAnonymous,
  pageFrame,
  navigationOrder,
} from '@sextant/contracts';
import { ServerSettings, Toolbox, definePage, definePlugin, optional, token } from '@sextant/core';
import { listRepositories, overviewsOf } from './repositories.ts';
import { show, showList } from './view.ts';

/** Milliseconds that a page waits for what repositories say of themselves. A script asks for what is later. */
const waitMs = { page: 60, part: 5000 };

const externalURL = token<string>('page-home-external-url');

const home = definePage({
  name: 'home',
  method: 'GET',
  path: '/',
  access: 'anyone',
  link: { title: 'Home', order: navigationOrder.home },
  needs: {
    externalURL,
    repositories: Repositories,
    links: Links,
    states: optional(IndexStates),
    sessions: optional(Sessions),
    settings: ServerSettings,
    toolbox: Toolbox,
  },
  async respond(request, { externalURL, sessions, settings, toolbox, ...services }, call) {
    const { caller } = call;
    const { searchParams } = new URL(request.url);
    const wanted = { filter: searchParams.get('filter') ?? '', page: searchParams.get('page') ?? '' };
    const isPart = searchParams.get('part') === 'list';
    const list = isAnonymous(call) ? undefined : await listRepositories(caller, services, wanted);
    const { repositories } = services;
    const milliseconds = isPart ? waitMs.part : waitMs.page;
    const known = list && (await overviewsOf(list, { repositories, caller, milliseconds }));
    const shown = list && known && { list, overviewOf: known, links: services.links };
    if (isPart && shown) return showList(shown);
    return show({
      frame: await pageFrame(request, call, sessions),
      url: externalURL,
      isMcpEnabled: settings.isMcpEnabled,
      tools: toolbox.tools,
      repositories: shown,
    });
  },
});

export default definePlugin({
  name: 'page-home',
  pages: [home],
  provides: { externalURL },
  start: async (_config, _services, context) => ({ externalURL: { value: context.externalURL } }),
});
