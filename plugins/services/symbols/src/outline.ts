import type { Outline } from '@sextant/contracts';
import type { Definition } from './file-symbols.ts';

const maxDefinitions = 5000;

/** Whether a definition can be seen from outside of the function it stands in. */
export const isVisible = ({ isMember, scope, kind }: Definition): boolean =>
  !['key', 'package'].includes(kind) && (isMember || (!scope && kind !== 'parameter'));

/** What of the definitions of a file can be seen from outside of its functions. */
export function outlineOf(definitions: readonly Definition[]): Outline {
  const visible = definitions.filter(isVisible);
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
