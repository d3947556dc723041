import { afterAll, beforeAll, expect, it } from 'vitest';
import { startSymbols } from '../testing/start-symbols.ts';
import type { StartedSymbols } from '../testing/start-symbols.ts';

let served: StartedSymbols;
beforeAll(async () => {
  served = await startSymbols({
    app: {
      'src/pool/Segment.kt':
        'package pool\n\nclass Segment {\n  val room = SIZE\n  companion object {\n    const val SIZE = 8\n    fun of(size: Int): Segment = Segment()\n  }\n}\n',
      'src/pool/Scope.kt': 'package pool\n\nobject Scope {\n  const val EMPTY = 1\n}\n',
      'src/io/Imported.kt':
        'package io\n\nimport pool.Scope.EMPTY\nimport pool.Segment.Companion.SIZE\nimport pool.Segment.Companion.of\n\nfun make() = of(SIZE + EMPTY)\n',
      'src/io/All.kt': 'package io\n\nimport pool.Segment.Companion.*\n\nfun half() = SIZE / 2\n',
      'src/io/Behind.kt':
        'package io\n\nimport pool.Segment\n\nval all = listOf(Segment.Companion.SIZE, Segment.SIZE).map(Segment.Companion::of)\nval more = listOf(1).map(Segment::of)\n',
      'src/io/Other.kt': 'package io\n\nobject Other {\n  const val SIZE = 9\n  const val EMPTY = 2\n}\n',
      'src/pool/Object.kt': 'package pool\n\nclass `object`\n',
      'src/io/Object.kt': 'package io\n\nimport pool.`object`\n\nval one = `object`()\n',
      'src/text/Trim.kt': 'package text\n\nfun String.neat() = trim()\n',
      'src/io/Neat.kt':
        'package io\n\nimport other.Foreign\nimport text.neat\n\nval a = unknown().neat()\nval b = (1 as Foreign).neat()\n',
      'src/text/More.kt': 'package text\n\nval more = unknown().neat()\n',
      'src/io/NotNeat.kt': 'package io\n\nval a = unknown().neat()\n',
      'src/io/Said.kt':
        'package io\n\nfun said(): String {\n  val title = 1\n  return "$title of ${title + 1} $5"\n}\n',
      'src/io/Read.kt':
        'package io\n\nfun read(): Any = 1\n\nfun use(): Any = when (val found = read()) {\n  is Int -> found.inc()\n  else -> found\n}\n',
    },
  });
});
afterAll(() => served[Symbol.asyncDispose]());

it.each([
  [
    'a constant of a companion',
    'src/pool/Segment.kt',
    'SIZE',
    [
      'src/pool/Segment.kt:4',
      'src/io/All.kt:5',
      'src/io/Behind.kt:5',
      'src/io/Behind.kt:5',
      'src/io/Imported.kt:4',
      'src/io/Imported.kt:7',
    ],
  ],
  [
    'a function of a companion',
    'src/pool/Segment.kt',
    'of',
    ['src/io/Behind.kt:5', 'src/io/Behind.kt:6', 'src/io/Imported.kt:5', 'src/io/Imported.kt:7'],
  ],
  ['a constant of an object', 'src/pool/Scope.kt', 'EMPTY', ['src/io/Imported.kt:3', 'src/io/Imported.kt:7']],
])('uses of %s in Kotlin are found with and without its type before them', async (_what, path, symbol, places) => {
  expect((await served.references(`app ${path}`, symbol)).toSorted()).toEqual(places.toSorted());
});

it('uses of an extension in Kotlin are found behind any value, where the file sees its name', async () => {
  expect(await served.references('app src/text/Trim.kt', 'neat')).toEqual([
    'src/text/More.kt:3',
    ...[4, 6, 7].map((line) => `src/io/Neat.kt:${line}`),
  ]);
  expect(await served.definition('app src/text/More.kt', 'neat')).toEqual(['src/text/Trim.kt:3']);
});

it('uses of a name in a string of Kotlin are found', async () => {
  expect(await served.references('app src/io/Said.kt', 'title')).toEqual(['src/io/Said.kt:5', 'src/io/Said.kt:5']);
});

it('what `when` declares in Kotlin is a local name', async () => {
  expect(await served.definition('app src/io/Read.kt', 'found')).toEqual(['src/io/Read.kt:5']);
});

it('a class of Kotlin with a keyword for a name is found, with and without backticks', async () => {
  const uses = ['src/io/Object.kt:3', 'src/io/Object.kt:5'];
  expect(await served.references('app src/pool/Object.kt', 'object')).toEqual(uses);
  expect(await served.definition('app src/io/Object.kt', '`object`')).toEqual(['src/pool/Object.kt:3']);
});
