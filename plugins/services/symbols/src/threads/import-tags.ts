import type { Node } from 'web-tree-sitter';
import { wholeModule } from '../file-symbols.ts';
import type { Import } from '../file-symbols.ts';

/** The import that the tags of one match describe; undefined where they describe none. */
export function importOf(tags: ReadonlyMap<string, Node>): Import | undefined {
  const found = describedBy(tags);
  return found && tags.has('import.own') ? { ...found, isOwn: true } : found;
}

function describedBy(tags: ReadonlyMap<string, Node>): Import | undefined {
  const source = tags.get('import.source');
  if (!source) return renamed(tags);
  const module = source.text;
  if (tags.has('import.all')) return { module, kind: 'all', imported: '', local: '' };
  const whole = tags.get('import.module');
  if (whole) return { module, kind: 'module', imported: '', local: localModule(whole, source) };
  const fallback = tags.get('import.default');
  if (fallback) return { module, kind: 'name', imported: 'default', local: fallback.text };
  const imported = tags.get('import.name')?.text;
  if (imported === undefined) return undefined;
  return { module, kind: 'name', imported, local: tags.get('import.alias')?.text ?? imported };
}

/** A name of the file itself that others import under another. */
function renamed(tags: ReadonlyMap<string, Node>): Import | undefined {
  const whole = tags.get('export.whole')?.text;
  if (whole !== undefined) return { module: '', kind: 'name', imported: whole, local: wholeModule };
  const own = tags.get('export.name')?.text;
  if (own === undefined) return undefined;
  return { module: '', kind: 'name', imported: own, local: tags.get('export.alias')?.text ?? 'default' };
}

/** A module without a name of its own is used under the last part of its path, and before that under the whole. */
function localModule(whole: Node, source: Node): string {
  if (whole.id !== source.id) return whole.text;
  const parts = whole.text.split('/');
  const last = parts.at(-1) ?? '';
  return /^v\d+$/.test(last) && parts.length > 1 ? (parts.at(-2) ?? last) : last;
}
