import { Credits, Sessions, Usage, pageFrame, seesEveryonesUsage, navigationOrder } from '@sextant/contracts';
import { definePage, optional } from '@sextant/core';
import { assetOf, assetResponse } from '@sextant/library-ui';
import { readAsked } from './asked.ts';
import { show } from './view.ts';

const stylesheet = assetOf('analytics.css', [new URL('analytics.css', import.meta.url)]);

export const stylesheetPage = definePage({
  name: 'analytics-stylesheet',
  method: 'GET',
  path: stylesheet.path,
  access: 'anyone',
  needs: {},
  respond: async () => assetResponse(stylesheet),
});

export const analytics = definePage({
  name: 'analytics',
  method: 'GET',
  path: '/analytics',
  access: { scope: 'analytics' },
  link: { title: 'Analytics', order: navigationOrder.analytics },
  needs: {
    usage: Usage,
    credits: optional(Credits),
    sessions: optional(Sessions),
  },
  async respond(request, { usage, credits, sessions }, call) {
    const { caller } = call;
    const instances = await usage.instances(caller);
    const [own = ''] = instances;
    const asked = readAsked(request.url, own);
    const instance = await usage.open(caller, asked.instance);
    const overview = await instance.overview(asked);
    const buckets = instance.isOwn ? await credits?.buckets(caller, asked) : undefined;
    const frame = await pageFrame(request, call, sessions);
    return show({
      asked,
      overview,
      frame,
      instances,
      buckets: buckets ?? [],
      isOfEveryone: seesEveryonesUsage(caller),
      stylesheet: stylesheet.path,
    });
  },
});
