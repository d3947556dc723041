import { z } from 'zod';

/**
 * Checks that a value that other code may have made has every member of an interface, each as the host relies on it. A
 * member that is added to the interface must be added here, too.
 */
export const shapeOf = <T>(maker: string, members: { readonly [K in keyof T]-?: z.ZodType }): z.ZodType =>
  z.looseObject(members, `must be an object as ${maker} makes it`);

export const text = z.string('must be a text');
export const texts = z.array(text, 'must be a list of texts');
export const truth = z.boolean('must be true or false');
export const fn = z.custom<unknown>((value) => typeof value === 'function', 'must be a function');
export const plainObject = z.record(z.string(), z.unknown(), 'must be an object');
export const zodObject = z.custom<unknown>(
  (value) => typeof value === 'object' && value !== null && 'safeParse' in value && 'shape' in value,
  'must be a zod schema of an object',
);
export const tokenShape = z.looseObject({ name: text }, 'must be the token of a service');
export const needsShape = z.record(z.string(), tokenShape, 'must be an object with the tokens of services');
export const wireName = text.regex(/^[a-z][a-z0-9_]{0,63}$/, 'must be in snake_case');
