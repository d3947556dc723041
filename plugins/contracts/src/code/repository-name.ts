import { oneLine } from '@sextant/core';

const maxLength = 1000;

/** Why a text cannot name a repository; undefined when it can. */
export function repositoryNameProblem(name: string): string | undefined {
  if (name === '') return 'is empty';
  if (name.length > maxLength) return `is longer than ${maxLength} characters`;
  if (name.startsWith('-')) return 'begins with "-"';
  if (name.startsWith('/') || name.endsWith('/') || name.includes('//')) return 'has an empty segment';
  if (name.includes('..')) return 'contains ".."';
  if (oneLine(name) !== name || name.includes('\ufffd'))
    return 'contains a control character or bytes that are not UTF-8';
  return undefined;
}
