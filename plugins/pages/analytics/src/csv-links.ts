import { card, html, linkButton } from '@sextant/library-ui';
import type { Content } from '@sextant/library-ui';
import type { Asked } from './asked.ts';

const usage = '/api/reports/by-user-client-date';

/** The files that the API gives, for the period and the instance that are shown. */
export function csvLinks({ startDate, endDate, instance }: Asked): Content {
  const period = { instanceURL: instance, startDate, endDate };
  const by = (title: string, granularity: string): Content => link(title, usage, { ...period, granularity });
  return card({
    title: 'Download as CSV',
    body: html`<div class="row">
        ${by('By user, day, client and language', 'by_user_day_client_language')} ${by('By user and day', 'by_user_day')}
        ${by('By user and month', 'by_user_month')} ${by('By user', 'by_user')}
        ${link('Users', '/api/reports/user-registry', { instanceURL: instance })} ${link('Credits', '/api/credits', period)}
      </div>
      <p class="quiet">The same addresses answer scripts, with an access token of the scope <code>analytics</code>; <code>format=json</code> gives JSON.</p>`,
  });
}

const link = (title: string, path: string, query: Record<string, string>): Content =>
  linkButton(title, `${path}?${new URLSearchParams(query)}`, {
    kind: 'plain',
    isSmall: true,
    label: `${title}, CSV`,
  });
