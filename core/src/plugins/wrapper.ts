import { z } from 'zod';
import { fn, needsShape, shapeOf, tokenShape } from './shape.ts';
import type { Needs, Resolved, Token } from './token.ts';

export interface WrapperDefinition<T, N extends Needs> {
  /** The service that it stands in front of; of `optional` one, it does nothing where no plugin provides it. */
  service: Token<T>;
  /**
   * A call passes wrappers from the lowest order to the highest, then reaches the service; 0 unless said. Of equal ones
   * the plugin that stands first in the configuration is passed first.
   */
  order?: number;
  needs?: N;
  /** What others get in place of `inner`. Called once for each `inner`; `inner` stays in use as long as the answer. */
  wrap(inner: T, services: Resolved<N>): T | Promise<T>;
}

/** A wrapper with its types erased. Made by `defineWrapper`. */
export interface Wrapper {
  readonly service: Token<unknown>;
  readonly order: number;
  readonly needs: Needs;
  wrap(inner: unknown, services: Resolved<Needs>): unknown;
}

export const wrapperShape = shapeOf<Wrapper>('defineWrapper', {
  service: tokenShape,
  order: z.number('must be a number'),
  needs: needsShape,
  wrap: fn,
});

/**
 * Declares that a plugin stands in front of a service of another: a cache, a record of what is asked, a filter of what is
 * answered. All that need the service get the wrapped one, without knowing.
 */
export const defineWrapper = <T, N extends Needs = {}>(definition: WrapperDefinition<T, N>): Wrapper =>
  // The one place where a wrapper's types are erased.
  ({ order: 0, needs: {}, ...definition }) as unknown as Wrapper;
