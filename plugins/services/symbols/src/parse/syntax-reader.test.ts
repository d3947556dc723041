import { expect, it } from 'vitest';
import { kotlin } from '../languages/kotlin.ts';
import { python } from '../languages/python.ts';
import { typescript } from '../languages/typescript.ts';
import { SyntaxReader } from './syntax-reader.ts';

it('a text that takes too long to parse is given up, and the next one is read', async () => {
  const reader = await SyntaxReader.load(typescript);
  expect(reader.read('const a = f(1);\n'.repeat(200_000), 1)).toBeUndefined();
  expect(reader.read('const a = 1;\n', 60_000)?.definitions).toMatchObject([{ name: 'a', line: 1, kind: 'variable' }]);
});

it('functions in functions, far away from what is around them, are given up as well', async () => {
  const reader = await SyntaxReader.load(typescript);
  expect(reader.read(`x = ${'(a=>'.repeat(30_000)}1${')'.repeat(30_000)}`, 1000)).toBeUndefined();
});

it('a name in backticks is the name between them', async () => {
  const reader = await SyntaxReader.load(kotlin);
  const text = 'import a.`is`\nclass `in` { fun `when`() {} }\nval one = `in`().`when`()\n';
  const { definitions, references, imports } = reader.read(text, 60_000) ?? {};
  expect(definitions?.map(({ name, container }) => [name, container])).toEqual([
    ['in', undefined],
    ['when', 'in'],
    ['one', undefined],
  ]);
  expect(references?.map(({ name, role }) => [name, role])).toEqual(
    expect.arrayContaining([
      ['in', 'call'],
      ['when', 'call'],
    ]),
  );
  expect(imports).toMatchObject([{ imported: 'is', local: 'is' }]);
});

it('a parameter in the first method of a Python class is no member of the class', async () => {
  const reader = await SyntaxReader.load(python);
  const text = 'class Till:\n    def __init__(self, shut):\n        self.shut = shut\n';
  const uses = reader.read(text, 60_000)?.references.filter(({ name }) => name === 'shut');
  expect(uses).toMatchObject([{ line: 3, at: text.lastIndexOf('shut'), isMember: false }]);
});
