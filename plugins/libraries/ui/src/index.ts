export { assetOf, assetResponse, assets, suggestionsScript } from './assets.ts';
export type { Asset } from './assets.ts';
export { codeLines, codeMarkup, escapeText, longestLine, markedLine, markedMarkup, plainLine } from './code.ts';
export type { CodeLines } from './code.ts';
export {
  ago,
  breadcrumbs,
  byteSize,
  card,
  copyText,
  count,
  emptyState,
  facts,
  flash,
  fileName,
  forPeople,
  html,
  moment,
  noteList,
  notice,
  pagination,
  table,
  tabs,
  tag,
  until,
  withCode,
} from './components.ts';
export type {
  Card,
  Column,
  Content,
  CopyText,
  FileName,
  NoticeKind,
  Pages,
  Tab,
  Table,
  TagKind,
} from './components.ts';
export { button, choice, csrfField, field, linkButton, postForm, select } from './forms.ts';
export type { ButtonKind, Choice, Field, PostForm, Select } from './forms.ts';
export { contentSecurityPolicy, fragmentOf, fragmentResponse, htmlResponse } from './page.ts';
export type { Frame, HtmlPage, Link, Person } from './page.ts';
