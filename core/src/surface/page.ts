import type { Call } from '../calls/call.ts';
import { z } from 'zod';
import { scopes } from '../calls/policy.ts';
import type { Permission, Scope } from '../calls/policy.ts';
import { fn, needsShape, shapeOf, text, truth } from '../plugins/shape.ts';
import type { Needs, Resolved } from '../plugins/token.ts';

/** What the caller of a page must hold; `anyone` needs no credentials at all. */
export type PageAccess = 'anyone' | { scope: Scope; permission?: Permission };

/** A place of a page in the navigation that stands on every page. */
export interface PageLink {
  title: string;
  /** Small numbers come first. `navigationOrder` in contracts has those of the pages that come with Sextant. */
  order: number;
}

export interface PageDefinition<N extends Needs> {
  name: string;
  method: 'GET' | 'POST' | 'DELETE';
  /** Route pattern of the HTTP library: `/a/:name/**`. */
  path: string;
  access: PageAccess;
  /** Where the navigation leads to it: those who may open it see the link. The path has no parameters then. */
  link?: PageLink;
  /** Of the paths that the pattern matches, those that are meant; the others are answered as if there were no such page. */
  accepts?(pathname: string): boolean;
  /**
   * The page reads the body in pieces and limits it itself. The operator's limits of size and time for whole bodies do
   * not apply.
   */
  readsBodyInPieces?: boolean;
  needs: N;
  respond(request: Request, services: Resolved<N>, call: Call): Promise<Response>;
}

/** One HTTP route that a plugin answers itself, with its types erased. Made by `definePage`. */
export interface Page {
  readonly name: string;
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly path: string;
  readonly access: PageAccess;
  readonly link?: PageLink;
  accepts?(pathname: string): boolean;
  /**
   * The page reads the body in pieces and limits it itself. The operator's limits of size and time for whole bodies do
   * not apply.
   */
  readonly readsBodyInPieces?: boolean;
  readonly needs: Needs;
  respond(request: Request, services: Resolved<Needs>, call: Call): Promise<Response>;
}

const method = z.enum(['GET', 'POST', 'DELETE'], 'must be GET, POST or DELETE');
const scope = z.enum(scopes, `must be one of ${scopes.join(', ')}`);

export const pageShape = shapeOf<Page>('definePage', {
  name: text,
  method,
  path: text.regex(/^\//, 'must be a path that begins with a slash'),
  access: z.union(
    [z.literal('anyone'), z.looseObject({ scope, permission: text.optional() })],
    'must be "anyone" or an object with a scope',
  ),
  link: z.looseObject({ title: text, order: z.number('must be a number') }, 'must be an object').optional(),
  accepts: fn.optional(),
  readsBodyInPieces: truth.optional(),
  needs: needsShape,
  respond: fn,
});

/** Declares a page or another HTTP route. */
export const definePage = <N extends Needs>(definition: PageDefinition<N>): Page =>
  // The one place where a page's types are erased.
  definition as unknown as Page;
