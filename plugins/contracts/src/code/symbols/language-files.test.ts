import { describe, expect, test } from 'vitest';
import { languageNames, languageOfFile, languagePattern, namesOfLanguage } from './language-files.ts';

describe('a language is known by name and alias', () => {
  test.each([
    ['typescript', 'src/a.ts', true],
    ['TS', 'src/a.tsx', true],
    ['go', 'a.go', true],
    ['go', 'algo', false],
    ['go', 'go.sum', false],
    ['gomod', 'tools/go.mod', true],
    ['gosum', 'go.sum', true],
    ['makefile', 'src/Makefile', true],
    ['c', 'a.cc', false],
    ['C++', 'a.hpp', true],
    ['docker', 'Dockerfile.dev', true],
    ['VimScript', 'runtime/syntax/go.vim', true],
    ['vim', '.vimrc', true],
    ['f#', 'src/Parser.fs', true],
    ['LaTeX', 'paper/intro.tex', true],
    ['scss', 'a.css', false],
    ['gradle', 'app/build.gradle', true],
    ['gradle', 'settings.gradle.kts', true],
    ['gradle', 'src/Gradle.kt', false],
    ['jsx', 'src/App.jsx', true],
  ])('%s of %s: %s', (name, path, expected) =>
    expect(new RegExp(languagePattern(name) ?? '', 'i').test(path)).toBe(expected),
  );

  test('every pattern is an expression, of paths alone', () => {
    const patterns = languageNames.map((name) => new RegExp(languagePattern(name) ?? '', 'i'));
    expect(patterns.filter((pattern) => pattern.test('x'))).toEqual([]);
  });

  test('and unknown otherwise', () => {
    expect(languagePattern('klingon')).toBeUndefined();
    expect(languageNames).toContain('golang');
  });
});

test.each([
  ['src/a.ts', 'TypeScript'],
  ['a.TSX', 'TypeScript'],
  ['x.h', 'C'],
  ['x.m', 'Objective-C'],
  ['deploy/Dockerfile', 'Dockerfile'],
  ['makefile', 'Makefile'],
  ['tools/go.mod', 'Go Module'],
  ['CMakeLists.txt', 'CMake'],
  ['LICENSE', undefined],
  ['weird.constructor', undefined],
  ['', undefined],
])('%j is a file of %s', (path, language) => expect(languageOfFile(path)).toBe(language));

test('a language has aliases', () => expect(namesOfLanguage('C++')).toEqual(['c++', 'cpp', 'cxx']));
