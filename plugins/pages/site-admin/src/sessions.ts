import { Directory, Sessions, navigationOrder, userNamed } from '@sextant/contracts';
import type { DirectoryUser, SeenSession } from '@sextant/contracts';
import { ago, html, table, tag } from '@sextant/library-ui';
import { adminPage } from './admin-page.ts';
import { actOnChosen, chooser, choosesAll, chosenForm, pageOf } from './long-list.ts';
import type { ListPage, LongList } from './long-list.ts';
import { userPath } from './user.ts';

const path = '/sessions';
const dayMs = 86_400_000;

/** Who is signed in, and their sessions, the one that was seen last first. */
interface Row {
  readonly user: DirectoryUser;
  readonly sessions: readonly SeenSession[];
}

const kindsAt = (now: number): Readonly<Record<string, (row: Row) => boolean>> => ({
  Everyone: () => true,
  'Seen today': (row) => Date.parse(seenAt(row)) > now - dayMs,
  'In several browsers': ({ sessions }) => sessions.length > 1,
  'Site administrators': ({ user }) => user.isSiteAdmin,
});

const seenAt = ({ sessions: [first] }: Row): string => first?.seenAt ?? '';
const signedInAt = ({ sessions }: Row): string =>
  sessions
    .map((one) => one.signedInAt)
    .toSorted()
    .at(-1) ?? '';

/** Who is signed in to browsers. */
export const sessions = adminPage({
  name: 'site-admin-sessions',
  title: 'Sessions',
  path,
  order: navigationOrder.sessions,
  needs: { sessions: Sessions, directory: Directory },
  messages: { ended: 'Signed out everywhere.' },
  async body({ services, url: { searchParams }, csrfToken }) {
    const list = pageOf(searchParams, await listOf(services));
    return html`<div>
        <h1>Sessions</h1>
        <p class="quiet">Who is signed in to a browser.</p>
      </div>
      ${list.form} ${table<Row>({ caption: 'Sessions', columns: columnsOf(list), rows: list.rows, empty: 'Nobody like that is signed in.' })} ${list.pages}
      ${list.rows.length > 0 && chosenForm({ csrfToken, list, path: `${path}/end`, text: 'Sign out everywhere', kind: 'danger' })}`;
  },
  actions: {
    async end(fields, { services, call: { signal } }) {
      await actOnChosen(fields, {
        what: 'users',
        list: () => listOf(services),
        nameOf: ({ user }) => user.name,
        act: async (name) => services.sessions.endAll((await userNamed(services.directory, name)).id),
        signal,
      });
      return 'ended';
    },
  },
});

interface People {
  readonly sessions: Sessions;
  readonly directory: Directory;
}

async function listOf({ sessions, directory }: People): Promise<LongList<Row>> {
  const [all, people] = await Promise.all([sessions.list(), directory.list()]);
  const byUser = Map.groupBy(all, ({ userId }) => userId);
  return {
    path,
    rows: people.flatMap((user) => {
      const own = byUser.get(user.id);
      return own ? [{ user, sessions: own }] : [];
    }),
    textOf: ({ user: { name, email = '' } }) => `${name} ${email}`,
    kinds: kindsAt(Date.now()),
    sorts: {
      User: ({ user }) => user.name.toLowerCase(),
      Sessions: (row) => row.sessions.length,
      'Signed in': signedInAt,
      'Last seen': seenAt,
    },
  };
}

const columnsOf = ({ heading }: ListPage<Row>) => [
  {
    title: 'User',
    heading: html`${choosesAll} ${heading('User')}`,
    cell: ({ user }: Row) =>
      chooser(
        user.name,
        html`<a class="strong" href=${userPath(user.name)}>${user.name}</a> ${user.isSiteAdmin && tag('Site administrator', 'info')}`,
      ),
  },
  { title: 'Sessions', heading: heading('Sessions'), cell: (row: Row) => row.sessions.length },
  { title: 'Signed in', heading: heading('Signed in'), cell: (row: Row) => ago(signedInAt(row)) },
  { title: 'Last seen', heading: heading('Last seen'), cell: (row: Row) => ago(seenAt(row)) },
];
