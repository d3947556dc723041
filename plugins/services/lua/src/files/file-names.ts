import { SextantError, didYouMean } from '@sextant/core';

const mediaTypes: Readonly<Record<string, string>> = {
  csv: 'text/csv',
  json: 'application/json',
  md: 'text/markdown',
  svg: 'image/svg+xml',
  txt: 'text/plain',
};
const kinds = Object.keys(mediaTypes);

const kindOf = (name: string): string => name.slice(name.lastIndexOf('.') + 1);

/** Throws `invalid_argument` for what is no plain file name of an allowed kind. */
export function requireFileName(name: string): void {
  if (!/^[\p{L}\p{N}_][\p{L}\p{N}_. -]{0,99}$/u.test(name))
    throw new SextantError(
      'invalid_argument',
      'files.write: a name is 1 to 100 letters, digits, spaces, "_", "-" and ".", such as report.csv; folders there are none',
    );
  const kind = name.includes('.') ? kindOf(name) : '';
  if (kinds.includes(kind)) return;
  const allowed = kinds.map((known) => `.${known}`).join(', ');
  throw new SextantError(
    'invalid_argument',
    `files.write: "${name}" must end in ${allowed}.${didYouMean(kind, kinds)}`,
  );
}

export const mediaTypeOf = (name: string): string =>
  `${mediaTypes[kindOf(name)] ?? 'application/octet-stream'}; charset=utf-8`;
