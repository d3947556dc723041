import operations from './golden/operations.json' with { type: 'json' };

type Product = keyof typeof operations;

interface Operation {
  /** A pattern of the values of each parameter. */
  readonly query: Readonly<Record<string, string>>;
  /** Of what it lists or gives; null where the schema leaves the type open. */
  readonly answer: Readonly<Record<string, unknown>>;
}

/** An operation of the published API. Throws where there is none, or it does not take such a query. */
export function operationAt(product: Product, path: string, query: URLSearchParams): Operation {
  const all: Readonly<Record<string, Operation>> = operations[product];
  const segments = path.split('/');
  const template = Object.keys(all).find((each) => {
    const parts = each.split('/');
    return parts.length === segments.length && parts.every((part, at) => part.startsWith('{') || part === segments[at]);
  });
  const operation = template === undefined ? undefined : all[template];
  if (!operation) throw new Error(`Bitbucket has no GET ${path}`);
  for (const [name, value] of query) {
    const pattern = operation.query[name];
    if (pattern === undefined || !new RegExp(`^(${pattern})$`).test(value))
      throw new Error(`GET ${path} does not take ${name}=${value}`);
  }
  return operation;
}

/** The whole answer of an operation, with these facts in it. Throws unless every one of them is a field of it, and of its type. */
export function answerOf({ answer }: Operation, facts: Readonly<Record<string, unknown>>): object {
  return filled(answer, facts, '');
}

function filled(example: object, facts: object, place: string): object {
  const given = Object.entries(facts).map(([name, value]) => {
    const at = `${place}.${name}`;
    const expected: unknown = Reflect.get(example, name);
    const isOfType = value === undefined || expected === null || typeof value === typeof expected;
    if (!(name in example) || !isOfType) throw new Error(`${at} is never ${JSON.stringify(value)}`);
    const isPlain = isObject(expected) && isObject(value) && !Array.isArray(value);
    return [name, isPlain ? filled(expected, value, at) : value] as const;
  });
  return { ...example, ...Object.fromEntries(given) };
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;
