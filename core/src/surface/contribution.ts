import { z } from 'zod';
import { shapeOf, text } from '../plugins/shape.ts';
import type { Token } from '../plugins/token.ts';

declare const accepted: unique symbol;

/**
 * A place where any number of plugins may put values of one type, and from which one takes them all. Two points of the
 * same name are the same point, so that a plugin with its own copy of a contract still contributes.
 */
export interface Point<T> {
  readonly name: string;
  readonly [accepted]?: T;
}

/** One value that a plugin puts to a point. Made by `contribute`. */
export interface Contribution {
  readonly point: string;
  readonly value: unknown;
}

export const contributionShape = shapeOf<Contribution>('contribute', {
  point: text,
  value: z.custom<unknown>((value) => value !== undefined, 'must be what the point takes'),
});

/** Makes a point; `name` is what is put there, in the plural and kebab-case, and unique among all contracts. */
export const point = <T>(name: string): Point<T> => Object.freeze({ name });

/** A value for the `contributions` of a plugin. It is there before any plugin has started. */
export const contribute = <T>({ name }: Point<T>, value: NoInfer<T>): Contribution =>
  Object.freeze({ point: name, value });

/**
 * A need for all contributions of the loaded plugins to a point, in the order of the plugins. The plugin with the need
 * is included. Empty if there are none.
 */
export const all = <T>({ name }: Point<T>): Token<readonly T[]> => Object.freeze({ name, isCollected: true });

/**
 * Thrown from `start` for a contribution of another plugin that cannot be used. The host leaves an optional plugin out
 * and starts the rest without it; a required one stops the start.
 */
export class ContributionError extends Error {
  /** As it was contributed. */
  readonly value: unknown;

  constructor(value: unknown, reason: string) {
    super(reason);
    this.value = value;
  }
}
