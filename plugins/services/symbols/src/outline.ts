import type { Outline } from '@sextant/contracts';
import type { Definition } from './file-symbols.ts';

const maxDefinitions = 5000;

/** What of the definitions of a file can be seen from outside of its functions. */
export function outlineOf(definitions: readonly Definition[]): Outline {
  const visible = definitions.filter(({ isMember, scope, kind }) => isMember || (!scope && kind !== 'parameter'));
  return {
    limitHit: visible.length > maxDefinitions,
    definitions: visible.slice(0, maxDefinitions).map(({ name, kind, line, endLine, container }) => ({
      name,
      kind,
      line,
      endLine,
      ...(container !== undefined && { container }),
    })),
  };
}
