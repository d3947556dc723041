import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { run } from 'node:test';
import type { Finding } from './check-plugin.ts';

/** The tests of a package, run by Node in this process, where the public API is found without being installed. */
export async function ownTests(folder: string, subject: string): Promise<Finding[]> {
  const all = await readdir(folder, { recursive: true });
  const files = all.filter((path) => /\.test\.[mc]?[jt]s$/.test(path) && !/(^|[/\\])node_modules[/\\]/.test(path));
  const found: Finding[] = [];
  if (files.length === 0)
    return [{ subject, check: 'tests', problem: 'it has no tests; write one in src/index.test.ts' }];
  const events = run({ files: files.map((file) => join(folder, file)), isolation: 'none' });
  for await (const { type, data } of events) {
    if (type === 'test:pass') found.push({ subject, check: `test: ${data.name}` });
    if (type === 'test:fail') found.push({ subject, check: `test: ${data.name}`, problem: data.details.error.message });
  }
  return found;
}
