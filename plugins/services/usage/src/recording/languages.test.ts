import { expect, test } from 'vitest';
import { mainLanguage } from './languages.ts';

test.each([
  [[], ''],
  [['src/a.ts'], 'TypeScript'],
  [['a.TSX', 'b.py', 'c.py'], 'Python'],
  [['b.py', 'a.go'], 'Python'],
  [['deploy/Dockerfile'], 'Dockerfile'],
  [['Makefile'], 'Makefile'],
  [['LICENSE'], 'Other'],
  [['weird.constructor'], 'Other'],
  [['', 'a.go'], 'Go'],
  [[''], ''],
])('%j is %s', (files, language) => {
  expect(mainLanguage(files)).toBe(language);
});
