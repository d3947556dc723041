// How long pages take and how large they are: `npm run bench:pages -- <folder of repositories>`. Times are until the last
// byte over loopback, sizes as sent (brotli). Cold: files that nobody looked at before. Pages take turns, and each is
// compared with the page of a file in the same turn, so that other work on the machine does not matter. Where Chromium
// is there (`CHROMIUM`), it says when it first paints each page, and how long it is from what people do on it until the
// frame that shows what came of it.
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { Agent, get } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import type { Locator, Page } from 'playwright-core';
import { startSextant } from '../support/processes.ts';

const rounds = 20;
const coldFiles = 40;
/** Source files of about 2000 lines have so many bytes. */
const [leastBytes, mostBytes] = [55_000, 90_000];
const source = /\.(c|cc|cpp|go|java|js|py|rb|rs|ts)$/;

interface Seen {
  readonly milliseconds: number;
  readonly bytes: number;
}

const [folder] = process.argv.slice(2);
if (folder === undefined) throw new Error('say which folder has the repositories: npm run bench:pages -- ~/code');
const data = await mkdtemp(join(tmpdir(), 'sextant-bench-'));
const server = await startSextant(['--repos', folder, '--data', data]);
const agent = new Agent({ keepAlive: true, maxSockets: 1 });
try {
  await untilIndexed();
  await run(folder);
} finally {
  agent.destroy();
  await server.stop();
  await rm(data, { recursive: true, force: true });
}

async function run(folder: string): Promise<void> {
  const files = (await readdir(folder)).flatMap((repo) => longFiles(folder, repo));
  const chosen = files.toSorted().filter((_, index) => index % Math.ceil(files.length / coldFiles) === 0);
  const [repo = '', path = ''] = (chosen[0] ?? '').split('\n');
  const name = encodeURIComponent(repo);
  const file = addressOf(chosen[0] ?? '');
  const pages = {
    'a file of 2,000 lines, seen before': file,
    home: '/',
    'search, keywords': '/search?q=return+error',
    'search, a question': '/search?q=where+are+connections+closed&mode=natural',
    'search, commits': `/search?q=type:commit+repo:${name}+fix`,
    'a repository': `/${name}`,
    'a folder': `/${name}/-/tree/${path.split('/').slice(0, -1).map(encodeURIComponent).join('/')}`,
    'blame of that file': file.replace('/-/blob/', '/-/blame/'),
    'a commit': `/${name}/-/commit/HEAD`,
    'a history': `/${name}/-/commits/`,
    'a comparison': `/${name}/-/compare/HEAD~20...HEAD`,
    'suggestions for a word': '/search/suggest?q=pars',
    'files by a part of the path': `/${name}/-/files/?q=pars`,
  };
  row('page', 'least ms', 'p50 ms', 'p95 ms', 'times a file', 'kB sent');
  row('---', '---', '---', '---', '---', '---');
  report('a file of 2,000 lines, cold', await seen(chosen.slice(1).map(addressOf)));
  const turns = await inTurns(Object.values(pages));
  for (const title of Object.keys(pages)) report(title, turns[Object.keys(pages).indexOf(title)] ?? [], turns[0]);
  const executablePath = process.env['CHROMIUM'] ?? '/usr/bin/chromium';
  if (existsSync(executablePath)) await inBrowser(executablePath, pages, path.slice(path.lastIndexOf('/') + 1));
}

/** One after the other in each round, by the page; what is remembered is so after the first round. */
async function inTurns(paths: readonly string[]): Promise<Seen[][]> {
  const all: Seen[][] = paths.map(() => []);
  await seen(paths);
  for (let round = 0; round < rounds; round += 1)
    for (const [index, path] of paths.entries()) all[index]?.push(await look(path));
  return all;
}

async function inBrowser(executablePath: string, pages: Readonly<Record<string, string>>, part: string): Promise<void> {
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
  const extraHTTPHeaders = { authorization: `Bearer ${server.token}` };
  const page = await (await browser.newContext({ extraHTTPHeaders })).newPage();
  const go = (title: string): Promise<unknown> => page.goto(server.url + (pages[title] ?? ''));
  row('in a browser', 'least ms', 'p50 ms', 'p95 ms');
  row('---', '---', '---', '---');
  for (const title of [
    'a file of 2,000 lines, seen before',
    'a repository',
    'a folder',
    'search, keywords',
    'search, a question',
    'a commit',
    'a comparison',
    'home',
  ]) {
    const paints: number[] = [];
    for (let round = 0; round < rounds; round += 1) {
      await go(title);
      paints.push(await firstPaint(page));
    }
    times(`first paint: ${title}`, paints);
  }
  await go('a file of 2,000 lines, seen before');
  let [line, other] = ['#L30', '#L40'];
  await answered(page, 'a line is chosen', {
    shows: () => `.m ${line}`,
    act: () => page.locator(line).click(),
    after: async () => void ([line, other] = [other, line]),
  });
  await page.keyboard.press('t');
  const suggested = async (title: string, box: Locator, text: string): Promise<void> => {
    const list = '.suggestions:not([hidden]) [role=option]';
    const after = async (): Promise<void> => {
      await box.fill('qzzqz');
      await page.locator(list).first().waitFor({ state: 'hidden' });
    };
    await after();
    await answered(page, title, { shows: () => list, act: () => box.fill(text), after });
  };
  await suggested('a file is found by its path', page.getByRole('combobox', { name: 'Part of a path' }), part);
  await page.goto(`${server.url}/search`);
  await suggested('suggestions appear below the box', page.getByRole('combobox', { name: 'Search' }), 'pars');
  await browser.close();
}

function firstPaint(page: Page): Promise<number> {
  return page.evaluate<number>(
    `new Promise((resolve) => new PerformanceObserver((list) => {
      for (const { name, startTime } of list.getEntries()) if (name === 'first-contentful-paint') resolve(startTime);
    }).observe({ type: 'paint', buffered: true }))`,
  );
}

interface Interaction {
  /** What is there once it is answered, and not before. */
  readonly shows: () => string;
  readonly act: () => Promise<void>;
  /** Undoes it. */
  readonly after: () => Promise<void>;
}

/** From the last event of the browser until the frame that shows the answer: what drives the browser does not count. */
async function answered(page: Page, title: string, { shows, act, after }: Interaction): Promise<void> {
  const all: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    await page.evaluate(
      `window.answered = new Promise((resolve) => {
        let acted = Number.NaN;
        const note = ({ timeStamp }) => { acted = timeStamp; };
        for (const type of ['pointerdown', 'keydown', 'input']) addEventListener(type, note, { capture: true });
        const isThere = () => document.querySelector(${JSON.stringify(shows())});
        const observer = new MutationObserver(() => {
          if (Number.isNaN(acted) || !isThere()) return;
          observer.disconnect();
          requestAnimationFrame(() => setTimeout(() => resolve(performance.now() - acted)));
        });
        observer.observe(document, { subtree: true, childList: true, attributes: true });
      });
      // What is evaluated is waited for if it is a promise.
      undefined`,
    );
    await act();
    all.push(await page.evaluate<number>('window.answered'));
    await after();
  }
  times(title, all);
}

function longFiles(folder: string, repo: string): string[] {
  const listing = execFileSync('git', ['-C', join(folder, repo), 'ls-tree', '-r', '-l', '-z', 'HEAD'], {
    maxBuffer: 1 << 28,
  });
  return listing
    .toString()
    .split('\0')
    .flatMap((line) => {
      const [, bytes, path = ''] = /^\d+ blob \w+ +(\d+)\t(.*)$/s.exec(line) ?? [];
      return source.test(path) && Number(bytes) > leastBytes && Number(bytes) < mostBytes ? [`${repo}\n${path}`] : [];
    });
}

function addressOf(file: string): string {
  const [repo = '', path = ''] = file.split('\n');
  return `/${encodeURIComponent(repo)}/-/blob/${path.split('/').map(encodeURIComponent).join('/')}`;
}

async function seen(paths: readonly string[]): Promise<Seen[]> {
  const all: Seen[] = [];
  for (const path of paths) all.push(await look(path));
  return all;
}

function look(path: string): Promise<Seen> {
  const headers = { authorization: `Bearer ${server.token}`, accept: 'text/html', 'accept-encoding': 'br' };
  const started = performance.now();
  return new Promise((resolve, reject) => {
    get(server.url + path, { agent, headers }, (response) => {
      if (response.statusCode !== 200) reject(new Error(`${path}: ${response.statusCode}`));
      let bytes = 0;
      response.on('data', (chunk: Buffer) => (bytes += chunk.length));
      response.on('end', () => resolve({ milliseconds: performance.now() - started, bytes }));
    }).once('error', reject);
  });
}

function report(title: string, all: readonly Seen[], reference?: readonly Seen[]): void {
  const taken = all.map(({ milliseconds }) => milliseconds);
  const sizes = all.map(({ bytes }) => bytes / 1000);
  const ratios = all.map(({ milliseconds }, turn) => milliseconds / (reference?.[turn]?.milliseconds ?? Number.NaN));
  const ratio = reference ? percentile(ratios, 0.5).toFixed(2) : '';
  row(title, ...spread(taken), ratio, percentile(sizes, 0.5).toFixed(1));
}

function times(title: string, all: readonly number[]): void {
  row(title, ...spread(all));
}

function spread(all: readonly number[]): string[] {
  return [0, 0.5, 0.95].map((share) => percentile(all, share).toFixed(1));
}

function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor((sorted.length - 1) * share)] ?? Number.NaN;
}

async function untilIndexed(): Promise<void> {
  while ((await fetch(`${server.url}/readyz`)).status !== 200) await new Promise((resolve) => setTimeout(resolve, 500));
}

function row(...cells: string[]): void {
  process.stdout.write(`| ${cells.join(' | ')} |\n`);
}
