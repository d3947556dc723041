/**
 * How good and how fast code navigation is, against what a compiler says:
 * `node test/bench/navigation.ts FOLDER INDEX.scip [USAGES] [DEFINITIONS]`, where FOLDER is a git repository whose HEAD was indexed.
 * It is asked from syntax alone, then again after the index was uploaded, by name as agents ask and by name and line.
 */
import { createReadStream, mkdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { defaultSearchLimits, parseQuery, PreciseIndex, Search, Symbols } from '@sextant/contracts';
import { temporaryFolder } from '@sextant/contracts/testing';
import { callerOf, startPlugins } from '@sextant/core/testing';
import { Misses } from './support/misses.ts';
import { occurrencesIn } from './support/scip-file.ts';
import type { Occurrence } from './support/scip-file.ts';
import { loadPreset } from '../support/preset.ts';

const [folder = '.', indexFile = 'index.scip', usages = '2000', wantedDefinitions = '500'] = process.argv.slice(2);
const caller = callerOf('bench', { isSiteAdmin: true });
const { signal } = new AbortController();
const placeOf = ({ path, line }: { path: string; line: number }): string => `${path}:${line + 1}`;

const texts = new Map<string, string[]>();
function lineOf({ path, line }: Occurrence): string {
  const lines = texts.get(path) ?? readFileSync(join(folder, path), 'utf8').split('\n');
  texts.set(path, lines);
  return lines[line] ?? '';
}
const nameOf = (one: Occurrence): string => lineOf(one).slice(one.start, one.end);

/** The same every time. */
function sampled<T>(all: readonly T[], count: number): T[] {
  let seed = 42;
  const keyed = all.map((item) => {
    seed = (Math.imul(seed, 1_103_515_245) + 12_345) & 0x7fffffff;
    return { item, key: seed };
  });
  return keyed
    .toSorted((a, b) => a.key - b.key)
    .slice(0, count)
    .map(({ item }) => item);
}

const percentile = (times: readonly number[], share: number): string =>
  (times.toSorted((a, b) => a - b)[Math.floor(times.length * share)] ?? 0).toFixed(1);

const isName = (text: string): boolean => /^[\p{L}_$][\p{L}\p{N}_$]*$/u.test(text);
/** `"example.com/shop/goods"` and `goods as wares` are uses, too, though no names; all that has no text stands nowhere. */
const all = [...occurrencesIn(readFileSync(indexFile))].filter(
  (one) => !one.path.startsWith('..') && (one.isDefinition ? isName(nameOf(one)) : one.end > one.start),
);
const keyOf = ({ symbol, path }: Occurrence): string => (symbol.startsWith('local ') ? `${path} ${symbol}` : symbol);
const definitions = Map.groupBy(
  all.filter(({ isDefinition }) => isDefinition),
  keyOf,
);
const uses = Map.groupBy(
  all.filter((one) => !one.isDefinition && definitions.has(keyOf(one))),
  keyOf,
);

/** The compiler says nothing of other files. */
const indexedPaths = new Set(all.map(({ path }) => path));
const nameKeyOf = (one: Occurrence): string => `${one.path} ${nameOf(one)}`;
const underName = Map.groupBy([...definitions.values()].flat(), nameKeyOf);
const atPlace = Map.groupBy([...uses.values()].flat(), (one) => `${placeOf(one)}:${one.start}`);
/** A line may have a name for several things, as `files=files` does: a request by line means them all. */
const inLine = Map.groupBy(
  [...uses.values(), ...definitions.values()].flat(),
  (one) => `${placeOf(one)} ${nameOf(one)}`,
);

/** What a name stands for in a file most often: of several that is what can come first when no line is said. */
const mostUsed = new Map(
  [...Map.groupBy([...uses.values()].flat(), nameKeyOf)].map(([name, all]) => {
    const groups = [...Map.groupBy(all, keyOf).values()].toSorted((a, b) => b.length - a.length);
    const count = groups[0]?.length;
    return [
      name,
      new Set(groups.filter(({ length }) => length === count).flatMap(([one]) => (one ? [keyOf(one)] : []))),
    ];
  }),
);

using temporary = temporaryFolder();
const dataFolder = join(temporary.path, 'data');
mkdirSync(dataFolder);
const settings: Readonly<Record<string, object>> = {
  'service-git': { repositories: [{ path: resolve(folder), name: 'bench' }] },
  'service-search-index': { threads: 1, memoryBytes: 1 << 30 },
  'service-scip': {},
  'service-symbols': {},
};
const plugins = (await loadPreset()).filter(({ name }) => name in settings);
await using server = await startPlugins(
  dataFolder,
  plugins.map((plugin) => [plugin, settings[plugin.name] ?? {}]),
);
await server.ready();
const needs = { search: Search, symbols: Symbols, precise: PreciseIndex };
const { search, symbols, precise } = server.services.resolve(needs);
while (Object.values(server.status()).some(({ isReady }) => !isReady))
  await new Promise((done) => setTimeout(done, 100));

/** Of a function's body, its parameters and those of types: a request without a line cannot tell them apart. */
const isLocal = (symbol: string): boolean => /^local |[)\]]$/.test(symbol);

/** Where the best hit of a search for the name is: what one has without syntax. */
async function baseline(name: string): Promise<string | undefined> {
  const query = `repo:^bench$ case:yes type:file /\\b${name.replaceAll('$', '\\$')}\\b/`;
  const { files } = await search.find(
    caller,
    { ...parseQuery(query), mode: 'keyword', limits: defaultSearchLimits },
    signal,
  );
  const [best] = files;
  return best && `${best.path}:${best.matches[0]?.line}`;
}

async function measureDefinitions(withLine: boolean): Promise<void> {
  const counts = { shared: [0, 0, 0, 0], local: [0, 0, 0, 0] };
  const misses = new Misses();
  const times: number[] = [];
  const asked = [...uses.values()].flat().filter((one) => isName(nameOf(one)));
  for (const use of sampled(asked, Number(usages))) {
    const symbol = nameOf(use);
    // Where the compiler names several symbols for one place any of them is right.
    const named =
      (withLine ? inLine.get(`${placeOf(use)} ${symbol}`) : atPlace.get(`${placeOf(use)}:${use.start}`)) ?? [];
    // A constructor is as well found by its class.
    const keys = named
      .map(keyOf)
      .flatMap((key) => [key, key.replace('`<constructor>`().', '').replace('__init__().', '')]);
    const truth = new Set(keys.flatMap((one) => definitions.get(one) ?? []).map(placeOf));
    const count = counts[isLocal(use.symbol) ? 'local' : 'shared'];
    const begun = performance.now();
    const answer = await symbols
      .findDefinition(
        caller,
        { repo: 'bench', path: use.path, symbol, ...(withLine && { line: use.line + 1 }) },
        signal,
      )
      .catch(() => undefined);
    times.push(performance.now() - begun);
    const file = answer?.files[0];
    const isRight =
      file?.places[0] !== undefined && truth.has(placeOf({ path: file.path, line: file.places[0].line - 1 }));
    count[0] = (count[0] ?? 0) + 1;
    count[1] = (count[1] ?? 0) + Number(isRight);
    count[2] = (count[2] ?? 0) + Number(truth.has((await baseline(symbol)) ?? ''));
    count[3] = (count[3] ?? 0) + Number(withLine || keys.some((key) => mostUsed.get(nameKeyOf(use))?.has(key)));
    if (!isRight && !isLocal(use.symbol))
      misses.add(use, lineOf(use), file?.places[0] ? 'another' : file ? 'text only' : 'nothing');
    if (!isRight && process.env['SHOW'])
      console.log(placeOf(use), symbol, '→', file?.path, file?.places[0], [...truth], lineOf(use).trim());
  }
  for (const [kind, [total = 0, right = 0, base = 0, possible = 0]] of Object.entries(counts))
    console.log(
      `definitions, ${kind} names: ${total} usages, first answer right ${share(right, total)} of ${share(possible, total)} that can be, name match ${share(base, total)}`,
    );
  misses.print();
  console.log(`definition: p50 ${percentile(times, 0.5)} ms, p95 ${percentile(times, 0.95)} ms`);
}

/** Making a value of a class is a use of it and of its constructor. */
function usesOf(key: string): Occurrence[] {
  const [maker] = makers.exec(key) ?? [];
  const calls = maker === undefined ? [] : (uses.get(key.slice(0, -maker.length)) ?? []).filter(isCall);
  return [key, `${key}\`<constructor>\`().`, `${key}__init__().`].flatMap((one) => uses.get(one) ?? []).concat(calls);
}
const makers = /(`<constructor>`|__init__)\(\)\.$/;
const isCall = (one: Occurrence): boolean => /^\s*\(/.test(lineOf(one).slice(one.end));

async function measureReferences(withLine: boolean): Promise<void> {
  let [found, right, wanted] = [0, 0, 0];
  const times: number[] = [];
  const shared = [...uses].filter(([, [use]]) => use && !isLocal(use.symbol));
  for (const [key] of sampled(shared, Number(wantedDefinitions))) {
    const [definition] = definitions.get(key) ?? [];
    if (!definition) continue;
    // By name a file is asked for all that it shows to others under the name.
    const sharing = (underName.get(nameKeyOf(definition)) ?? []).filter(({ symbol }) => !isLocal(symbol));
    const meant = withLine ? [key] : sharing.map(keyOf);
    const truth = new Set(meant.flatMap(usesOf).map(placeOf));
    const line = withLine && { line: definition.line + 1 };
    const request = { repo: 'bench', path: definition.path, symbol: nameOf(definition), limit: 1000, ...line };
    const begun = performance.now();
    const answer = await symbols.findReferences(caller, request, signal).catch(() => undefined);
    times.push(performance.now() - begun);
    const answered = new Set(
      answer?.precision === 'text'
        ? []
        : answer?.files
            .filter(({ path }) => indexedPaths.has(path))
            .flatMap(({ path, places }) => places.map(({ line }) => placeOf({ path, line: line - 1 }))),
    );
    found += answered.size;
    wanted += truth.size;
    right += [...answered].filter((place) => truth.has(place)).length;
    const falsely = [...answered].filter((place) => !truth.has(place));
    const missing = [...truth].filter((place) => !answered.has(place));
    if (process.env['SHOW'] && falsely.length + missing.length > 0)
      console.log('uses of', placeOf(definition), nameOf(definition), { answered: answered.size, falsely, missing });
  }
  const precision = right / found;
  const recall = right / wanted;
  const f1 = (2 * precision * recall) / (precision + recall);
  console.log(`references: precision ${precision.toFixed(3)}, recall ${recall.toFixed(3)}, F1 ${f1.toFixed(3)}`);
  console.log(`references: p50 ${percentile(times, 0.5)} ms, p95 ${percentile(times, 0.95)} ms`);
}

const share = (part: number, total: number): string => (total === 0 ? '–' : (part / total).toFixed(3));

async function measure(title: string, withLine: boolean): Promise<void> {
  console.log(`\n${title}`);
  await measureDefinitions(withLine);
  await measureReferences(withLine);
}

console.log(`${texts.size} files, ${all.length} names`);
await measure('from syntax, by name', false);
await measure('from syntax, by name and line', true);
if (process.env['SYNTAX']) process.exit();
const begun = performance.now();
await precise.upload(caller, { repo: 'bench', commit: 'HEAD', content: createReadStream(indexFile) }, signal);
console.log(`\nindex uploaded in ${((performance.now() - begun) / 1000).toFixed(1)} s`);
await measure('from the index, by name', false);
await measure('from the index, by name and line', true);
