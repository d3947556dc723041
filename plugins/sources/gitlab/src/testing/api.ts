import answers from './golden/answers.json' with { type: 'json' };

type Kind = keyof typeof answers;

/** What GitLab takes in the query of a list of projects, with what it may be. */
const listOfProjects: Readonly<Record<string, RegExp>> = {
  archived: /^(true|false)$/,
  visibility: /^(private|internal|public)$/,
  order_by: /^(id|name|path|created_at|updated_at|last_activity_at|star_count|similarity)$/,
  sort: /^(asc|desc)$/,
  search: /^/,
  simple: /^(true|false)$/,
  owned: /^(true|false)$/,
  starred: /^(true|false)$/,
  min_access_level: /^(5|10|15|20|25|30|40|50)$/,
  page: /^[1-9]\d*$/,
  per_page: /^([1-9]\d?|100)$/,
};
const ofInstance = {
  ...listOfProjects,
  membership: /^(true|false)$/,
  id_after: /^\d+$/,
  updated_after: /^\d{4}-/,
  topic: /^/,
  pagination: /^keyset$/,
};
const pages = { page: /^[1-9]\d*$/, per_page: /^([1-9]\d?|100)$/ };

const operations: readonly { path: RegExp; query: Readonly<Record<string, RegExp>> }[] = [
  { path: /^\/user$/, query: {} },
  { path: /^\/personal_access_tokens\/self$/, query: {} },
  { path: /^\/users$/, query: { ...pages, search: /^/, username: /^/ } },
  { path: /^\/users\/\d+$/, query: {} },
  { path: /^\/projects$/, query: ofInstance },
  { path: /^\/users\/[^/]+\/projects$/, query: ofInstance },
  {
    path: /^\/groups\/[^/]+\/projects$/,
    query: { ...listOfProjects, include_subgroups: /^(true|false)$/, with_shared: /^(true|false)$/ },
  },
];

/** Throws where GitLab has no such operation, or does not take such a query. */
export function requireOperation(path: string, query: URLSearchParams): void {
  const operation = operations.find((each) => each.path.test(path));
  if (!operation) throw new Error(`GitLab has no GET ${path}`);
  for (const [name, value] of query)
    if (operation.query[name]?.test(value) !== true) throw new Error(`GET ${path} does not take ${name}=${value}`);
  if (query.get('pagination') === 'keyset' && query.get('order_by') !== 'id')
    throw new Error('Keyset pagination is not yet available for this type of request');
}

/** Fields that are not in every answer of a kind. */
const optional: readonly string[] = ['mr_default_target_self'];

/** The whole answer of a kind, with these facts in it. Throws unless every one of them is a field of it, and of its type. */
export function answerOf(kind: Kind, facts: Readonly<Record<string, unknown>>): object {
  const example: Readonly<Record<string, unknown>> = answers[kind];
  for (const [name, value] of Object.entries(facts)) {
    const isOfType = value === undefined || example[name] === null || typeof value === typeof example[name];
    if (!(name in example) || !isOfType) throw new Error(`${name} of a ${kind} is never ${JSON.stringify(value)}`);
  }
  const always = Object.entries(example).filter(([name]) => !optional.includes(name));
  return { ...Object.fromEntries(always), ...facts };
}
