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
import { listRepositories } from './repositories.ts';
import { show } from './view.ts';

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
    const frame = await pageFrame(request, call, sessions);
    const { searchParams } = new URL(request.url);
    const wanted = { filter: searchParams.get('filter') ?? '', page: searchParams.get('page') ?? '' };
    return show({
      frame,
      url: externalURL,
      isMcpEnabled: settings.isMcpEnabled,
      tools: toolbox.tools,
      repositories: isAnonymous(call) ? undefined : await listRepositories(call.caller, services, wanted),
    });
  },
});

export default definePlugin({
  name: 'page-home',
  pages: [home],
  provides: { externalURL },
  start: async (_config, _services, context) => ({ externalURL: { value: context.externalURL } }),
});
