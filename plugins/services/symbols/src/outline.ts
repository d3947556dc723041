import type { Outline, OutlineEntry } from '@sextant/contracts';
import { declarationOf } from './declaration.ts';
import type { Definition } from './file-symbols.ts';

const maxDefinitions = 5000;

/** Whether a definition can be seen from outside of the function it stands in. */
export const isVisible = ({ isMember, scope, kind }: Definition): boolean =>
  !['key', 'package'].includes(kind) && (isMember || (!scope && kind !== 'parameter'));

/** What of the definitions of a file can be seen from outside of its functions. `share` is awaited before each of them. */
export async function outlineOf(
  definitions: readonly Definition[],
  text: string,
  share: () => Promise<void>,
): Promise<Outline> {
  const visible = definitions.filter(isVisible);
  const lines = text.split(/\r\n|\n|\r/);
  const entries: OutlineEntry[] = [];
  for (const definition of visible.slice(0, maxDefinitions)) {
    await share();
    entries.push(entryOf(definition, lines));
  }
  return { limitHit: visible.length > maxDefinitions, definitions: entries };
}

function entryOf(definition: Definition, lines: readonly string[]): OutlineEntry {
  const { name, kind, line, endLine, container } = definition;
  const place = { name, kind, line, endLine, ...(container !== undefined && { container }) };
  return { ...place, ...declarationOf(lines, definition) };
}
