import { lfsPointer } from '@sextant/contracts';
import type { FoundEntry, TextFile } from '@sextant/contracts';
import { isSextantError } from '@sextant/core';
import type { SextantError } from '@sextant/core';
import { byteSize, count, emptyState, html } from '@sextant/library-ui';
import type { Content, Tab } from '@sextant/library-ui';
import { sourceOf } from '../file-source.ts';
import { languageTitle } from '../highlight/languages.ts';
import { filePage } from '../render/file-page.ts';
import { imageType } from '../media.ts';
import { renderMarkdown } from '../render/markdown.ts';
import { renderNotebook } from '../render/notebook.ts';
import { commitOf, linesQuery, linkTo, markedLines } from '../visit.ts';
import type { Visit } from '../visit.ts';
import { codeView } from './code-view.ts';
import { redirect } from './redirect.ts';

/** A file, a link or an image, with everything around it. */
export async function showBlob(visit: Visit): Promise<Response> {
  const { repository, address, call, query } = visit;
  const path = address.rest;
  const commit = await commitOf(visit);
  const wanted = query.get('line');
  if (wanted !== null && /^\d{1,9}$/.test(wanted)) return redirect(`${linkTo(visit, 'blob', path)}?L${wanted}`);
  const entry = await repository.find(commit, path, call.signal);
  if (entry.kind === 'directory') return redirect(linkTo(visit, 'tree', path));
  const shown = { visit, commit, path, entry };
  if (entry.kind === 'submodule') return filePage(shown, { body: submodule(entry) });
  const isImage = imageType(path) !== undefined && query.get('view') !== 'code';
  if (isImage && !(await isPointer(visit, commit, path))) return filePage(shown, image(visit, path));
  const file = await readText(visit, commit, path);
  return 'text' in file ? showText(shown, file) : filePage(shown, { body: unreadable(visit, file) });
}

export interface ShownFile {
  readonly visit: Visit;
  readonly commit: string;
  readonly path: string;
  readonly entry: FoundEntry;
}

async function showText(shown: ShownFile, file: TextFile): Promise<Response> {
  const { visit, path, entry } = shown;
  const source = sourceOf(file, entry.id, path);
  const facts = [
    count(source.lineCount, 'line'),
    byteSize(file.bytes),
    source.language && languageTitle(source.language),
    file.encoding !== 'utf-8' && file.encoding.toUpperCase(),
  ].filter((fact) => typeof fact === 'string');
  const render = rendererOf(path);
  const isCode = !render || visit.query.get('view') === 'code' || markedLines(visit.search) !== undefined;
  const tabs = fileTabs(visit, path, isCode ? 'code' : 'preview');
  if (!render || isCode) return filePage(shown, { ...(await codeView(shown, source)), facts, tabs });
  return filePage(shown, { body: await render(shown, file.text), facts, tabs });
}

/** The ways to see a text: some have a preview. Lines stay marked from one to the other. */
export function fileTabs(visit: Visit, path: string, current: 'preview' | 'code' | 'blame'): Tab[] {
  const lines = markedLines(visit.search);
  const marked = lines === undefined ? '' : linesQuery(...lines);
  const file = linkTo(visit, 'blob', path);
  const blame = linkTo(visit, 'blame', path);
  const hasPreview = rendererOf(path) !== undefined;
  return [
    ...(hasPreview ? [{ title: 'Preview', path: file, isCurrent: current === 'preview' }] : []),
    {
      title: 'Code',
      path: file + (marked || (hasPreview ? '?view=code' : '')),
      isCurrent: current === 'code',
      withLines: file,
    },
    { title: 'Blame', path: blame + marked, isCurrent: current === 'blame', withLines: blame },
  ];
}

type Render = (shown: ShownFile, text: string) => Promise<Content>;

function rendererOf(path: string): Render | undefined {
  if (/\.(md|markdown|mkd)$/i.test(path)) return renderMarkdown;
  return /\.ipynb$/i.test(path) ? renderNotebook : undefined;
}

/** The text, or why there is none. */
async function readText({ repository, call }: Visit, commit: string, path: string): Promise<TextFile | SextantError> {
  try {
    return await repository.readText(commit, path, call.signal);
  } catch (error) {
    if (!isSextantError(error) || !['invalid_argument', 'too_large'].includes(error.code)) throw error;
    return error;
  }
}

/** Only its content tells that an image is none. */
async function isPointer({ repository, call }: Visit, commit: string, path: string): Promise<boolean> {
  const { buffer, byteOffset, byteLength } = await repository.readBytes(commit, path, call.signal);
  return lfsPointer(Buffer.from(buffer, byteOffset, byteLength)) !== undefined;
}

const submodule = ({ id }: FoundEntry): Content =>
  emptyState('This is a submodule.', html`Its files are in a repository of their own, at commit <code>${id}</code>.`);

const unreadable = (visit: Visit, { code, message }: SextantError): Content =>
  emptyState(
    'This file cannot be shown as text.',
    code === 'too_large'
      ? `${sentence(message)} A clone of the repository has it.`
      : html`${sentence(message)} <a href=${linkTo(visit, 'raw', visit.address.rest)}>Download it as it is stored</a>.`,
  );

const sentence = (text: string): string => `${text.slice(0, 1).toUpperCase()}${text.slice(1).replace(/\.$/, '')}.`;

const image = (visit: Visit, path: string): { body: Content } => ({
  body: html`<div class="image"><img src=${linkTo(visit, 'raw', path)} alt=${path} /></div>`,
});
