import type { Call } from '../calls/call.ts';
import { SextantError } from '../calls/errors.ts';
import { fn, needsShape, shapeOf, text, texts, wireName } from '../plugins/shape.ts';
import type { Needs, Resolved } from '../plugins/token.ts';
import { escapeRegExp } from '../text/escape-reg-exp.ts';

/** What a resource has to read: text, or bytes of any kind. */
export type ResourceContent =
  | { readonly mimeType: string; readonly text: string }
  | { readonly mimeType: string; readonly bytes: Uint8Array };

/** The decoded values of the variables in a URI template, by name. */
export type ResourceVariables = Readonly<Record<string, string>>;

export interface ResourceDefinition<N extends Needs> {
  /** Wire name, in snake_case. */
  name: string;
  title: string;
  /** One or two sentences that tell a person or a model what is there to read. */
  description: string;
  /**
   * A URI, or a template of URIs (RFC 6570) with `{name}` for a value up to the text behind it, and `{+name}` for a value
   * with any text. No variable may follow another one directly.
   */
  uri: string;
  /** Absent where it differs. */
  mimeType?: string;
  /** It is listed on endpoints that list all of these tools: disabling a tool also removes this resource. */
  withTools: readonly string[];
  needs: N;
  /** Throws `not_found` for what is not there, and in the same words for what the caller may not read. */
  read(variables: ResourceVariables, services: Resolved<N>, call: Call): Promise<ResourceContent>;
  /** Values of a variable that may follow what was typed so far. `variables` has those that are known already. */
  complete?(asked: Completion, services: Resolved<N>, call: Call): Promise<readonly string[]>;
  /** Paths of the files that are read; the call is recorded with their language. */
  filesOf?(variables: ResourceVariables): readonly string[];
}

export interface Completion {
  readonly variable: string;
  readonly typed: string;
  readonly variables: ResourceVariables;
}

/** A resource, or a template of resources, with its types erased. Made by `defineResource`. */
export interface Resource {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly uri: string;
  /** Names of the variables; none for a single resource. */
  readonly variables: readonly string[];
  readonly mimeType: string | undefined;
  readonly withTools: readonly string[];
  readonly needs: Needs;
  /** The variables of a URI; undefined for one that is not of this template. Throws `invalid_argument` for a wrong escape. */
  match(uri: string): ResourceVariables | undefined;
  read(variables: ResourceVariables, services: Resolved<Needs>, call: Call): Promise<ResourceContent>;
  complete(asked: Completion, services: Resolved<Needs>, call: Call): Promise<readonly string[]>;
  /** Asked once it was read. */
  filesOf(variables: ResourceVariables): readonly string[];
}

export const resourceShape = shapeOf<Resource>('defineResource', {
  name: wireName,
  title: text,
  description: text,
  uri: text,
  variables: texts,
  mimeType: text.optional(),
  withTools: texts,
  needs: needsShape,
  match: fn,
  read: fn,
  complete: fn,
  filesOf: fn,
});

/** Declares a resource. Throws if its name is not snake_case, or its URI no template that can be matched. */
export function defineResource<N extends Needs>(definition: ResourceDefinition<N>): Resource {
  requireWireName('resource', definition.name);
  const template = templateOf(definition);
  // The one place where a resource's types are erased.
  const erased = definition as unknown as Pick<Resource, 'read'> & Partial<Pick<Resource, 'complete' | 'filesOf'>>;
  return {
    name: definition.name,
    title: definition.title,
    description: definition.description,
    uri: definition.uri,
    variables: template.variables,
    mimeType: definition.mimeType,
    withTools: definition.withTools,
    needs: definition.needs,
    match: template.match,
    read: (variables, services, call) => erased.read(variables, services, call),
    complete: async (asked, services, call) => (await erased.complete?.(asked, services, call)) ?? [],
    filesOf: (variables) => erased.filesOf?.(variables) ?? [],
  };
}

/** Throws for a name that clients cannot rely on. */
export function requireWireName(kind: string, name: string): void {
  if (!wireName.safeParse(name).success)
    throw new Error(
      `${kind} name "${name}" must be snake_case: a letter, then letters, digits and underscores, 64 at most`,
    );
}

const expression = /\{(\+?)([a-z][a-zA-Z0-9]*)\}/g;

function templateOf({ name, uri }: { name: string; uri: string }): Pick<Resource, 'variables' | 'match'> {
  const found = [...uri.matchAll(expression)];
  const literals = uri.split(/\{[^{}]*\}/);
  const isOdd = literals.some((text) => /[{}]/.test(text)) || literals.length !== found.length + 1;
  if (isOdd || !/^[a-z][a-z0-9+.-]*:/.test(uri) || literals.slice(1, -1).includes(''))
    throw new Error(
      `resource ${name}: "${uri}" must be a URI whose variables are {name} or {+name}, with text between them`,
    );
  const variables = found.map(([, , variable = '']) => variable);
  const values = found.map(([, plus], index) => (plus === '+' ? '(.+)' : valueUntil(literals[index + 1] ?? '')));
  const parts = literals.map((text, index) => escapeRegExp(text) + (values[index] ?? ''));
  const pattern = new RegExp(`^${parts.join('')}$`, 's');
  return {
    variables,
    match: (given) => {
      const found = pattern.exec(given);
      if (!found) return undefined;
      const [, ...texts] = found;
      return Object.fromEntries(variables.map((variable, index) => [variable, decoded(texts[index] ?? '')]));
    },
  };
}

/** A value may have slashes where another character ends it: people and models seldom escape them. */
const valueUntil = (literal: string): string => `((?:(?!${escapeRegExp(literal.charAt(0) || '/')}).)+)`;

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new SextantError(
      'invalid_argument',
      `the URI has "${text.slice(0, 100)}", where a percent sign begins no escape`,
    );
  }
}
