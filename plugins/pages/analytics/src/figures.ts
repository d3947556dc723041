import type { NamedTally, UsageOverview } from '@sextant/contracts';
import type { Content } from '@sextant/library-ui';
import { addressOf, dayAfter } from './asked.ts';
import type { Asked, FilterName } from './asked.ts';
import { figure } from './figure.ts';
import type { Figure } from './figure.ts';
import { compact, duration, meanTime, number } from './numbers.ts';
import { callSeries } from './series.ts';
import type { Series } from './series.ts';

type Span = UsageOverview['total'][number];
type Particular = Pick<Figure, 'id' | 'title' | 'description' | 'series'> & Partial<Figure>;

/** The charts of the page in their order. */
export function figures(overview: UsageOverview, asked: Asked, isOfEveryone: boolean): Promise<Content[]> {
  const { total } = overview;
  const shared = {
    dates: total.map(({ date }) => date),
    end: dayAfter(asked.endDate),
    kind: 'stacked',
    say: number,
    tick: compact,
  } as const;
  const particular = [...callsBy(overview, asked), ...(isOfEveryone ? [activeUsers(total)] : []), ...overTime(total)];
  return Promise.all(
    particular.map((each) =>
      figure({
        ...shared,
        ...each,
        description: `${each.description}, by ${asked.span}.`,
      }),
    ),
  );
}

function callsBy({ total, tools, clients, languages, repositories }: UsageOverview, asked: Asked): Particular[] {
  const dates = total.map(({ date }) => date);
  const by = (name: FilterName, tallies: readonly NamedTally[], nameless = 'unnamed'): Series[] =>
    callSeries(tallies, { dates, nameless, pathOf: (value) => addressOf(asked, { [name]: value }) });
  return [
    {
      id: 'tools',
      title: 'Calls by tool',
      description: 'Calls, by tool',
      isLarge: true,
      series: by('tool', tools),
    },
    {
      id: 'clients',
      title: 'Clients',
      description: 'Calls, by client',
      series: by('client', clients),
    },
    {
      id: 'languages',
      title: 'Languages',
      description: 'Calls, by the language of the files in their answers',
      series: by('language', languages, 'no files'),
    },
    ...(repositories.length === 0
      ? []
      : [
          {
            id: 'repositories',
            title: 'Repositories',
            description: 'Calls, by the repository that most of the answer is about',
            series: by('repository', repositories),
          },
        ]),
  ];
}

const activeUsers = (total: readonly Span[]): Particular => ({
  id: 'users',
  title: 'Active users',
  description: 'Users who made calls',
  series: one('Users', total, ({ users }) => users),
});

const overTime = (total: readonly Span[]): Particular[] => [
  {
    id: 'errors',
    title: 'Errors',
    description: 'Calls that ended in an error',
    series: one('Errors', total, ({ errors }) => errors),
  },
  {
    id: 'time',
    kind: 'line',
    title: 'Time of a call',
    description: 'Mean time of a call',
    say: duration,
    tick: duration,
    series: one('Mean time', total, meanTime),
  },
  // A chart of nothing but zeros tells what its figure above tells.
  ...(total.some(({ credits }) => credits > 0)
    ? [
        {
          id: 'credits',
          title: 'Credits used',
          description: 'Credits used',
          series: one('Credits', total, ({ credits }) => credits),
        },
      ]
    : []),
];

const one = (name: string, total: readonly Span[], valueOf: (span: Span) => number): Series[] => [
  { name, values: total.map(valueOf) },
];
