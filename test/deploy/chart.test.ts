import { spawnSync } from 'node:child_process';
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { temporaryFolder } from '@sextant/contracts/testing';
import { describe, expect, test } from 'vitest';
import { parse, parseAllDocuments, stringify } from 'yaml';
import { z } from 'zod';
import { builtChartProgram } from './support/build-chart-program.ts';

const chart = fileURLToPath(new URL('../../docs/deploy', import.meta.url));
const program = builtChartProgram();

const named = z.looseObject({ kind: z.string(), metadata: z.looseObject({ name: z.string() }) });
const pod = z.looseObject({
  containers: z.tuple([z.looseObject({ volumeMounts: z.array(z.looseObject({ name: z.string() })) })]),
  volumes: z.array(z.looseObject({ name: z.string() })),
});
const workload = z.looseObject({
  spec: z.looseObject({
    replicas: z.number(),
    template: z.looseObject({ spec: pod }),
    volumeClaimTemplates: z.array(z.looseObject({ metadata: z.looseObject({ name: z.string() }) })).default([]),
  }),
});
type Workload = z.output<typeof workload>;

interface Rendered {
  readonly status: number | null;
  readonly stderr: string;
  /** By kind and name. */
  readonly manifests: ReadonlyMap<string, unknown>;
}

/** Renders the chart, and decodes it into the types of Kubernetes: a field that they do not have is an error. */
function render(files: readonly string[] = [], folder = chart): Rendered {
  const { status, stderr, stdout } = spawnSync(program ?? '', [folder, ...files], { encoding: 'utf8' });
  const documents = parseAllDocuments(stdout).map((each) => named.parse(each.toJS()));
  return { status, stderr, manifests: new Map(documents.map((each) => [`${each.kind} ${each.metadata.name}`, each])) };
}

/** Names of volumes that are mounted and those that there are. */
function volumesOf({ spec }: Workload): { mounted: string[]; there: string[] } {
  const [{ volumeMounts }] = spec.template.spec.containers;
  const claimed = spec.volumeClaimTemplates.map(({ metadata }) => metadata.name);
  const there = [...spec.template.spec.volumes.map(({ name }) => name), ...claimed];
  return { mounted: volumeMounts.map(({ name }) => name).sort(), there: there.sort() };
}

describe.skipIf(program === undefined)('the chart', () => {
  test('runs one host with a disk of its own as it is', () => {
    const { status, stderr, manifests } = render();
    expect([status, stderr]).toEqual([0, '']);
    expect([...manifests.keys()]).toEqual([
      'ConfigMap sextant-config',
      'Service sextant',
      'Service sextant-hosts',
      'PodDisruptionBudget sextant-hosts',
      'StatefulSet sextant',
    ]);
    const { mounted, there } = volumesOf(workload.parse(manifests.get('StatefulSet sextant')));
    expect([mounted, mounted]).toEqual([there, ['config', 'data', 'repositories', 'tmp']]);
    const { data } = z
      .looseObject({ data: z.record(z.string(), z.string()) })
      .parse(manifests.get('ConfigMap sextant-config'));
    expect(parse(data['sextant.config.yaml'] ?? '')).toEqual({ repositories: [{ path: '/srv/git' }] });
  });

  test('runs many hosts behind nginx, with every value set', () => {
    using folder = temporaryFolder();
    const all = join(folder.path, 'all.yaml');
    const storage = { storageClassName: 'fast', size: '5Gi' };
    writeFileSync(all, stringify({ hosts: 2, image: 'registry.example.com/sextant:1', data: storage }));
    const { status, stderr, manifests } = render([join(chart, 'values-many-hosts.yaml'), all]);
    expect([status, stderr]).toEqual([0, '']);
    const hosts = workload.parse(manifests.get('StatefulSet sextant'));
    const { mounted, there } = volumesOf(hosts);
    expect([hosts.spec.replicas, mounted, mounted]).toEqual([
      2,
      there,
      ['config', 'data', 'repositories', 'scip', 'secret', 'tmp'],
    ]);
    const nginx = volumesOf(workload.parse(manifests.get('Deployment sextant-nginx')));
    expect(nginx.mounted).toEqual(nginx.there);
    const site = JSON.stringify(manifests.get('ConfigMap sextant-nginx'));
    expect(site.match(/sextant-\d\.sextant-hosts\.default\.svc\.cluster\.local:7080/g)).toHaveLength(2);
    expect(site).not.toContain('host1:7080');
  });

  test.each([
    ['several hosts that would share no database', 'hosts: 2', 'several hosts need config.plugins.service-postgres'],
    ['several hosts with no plugins', 'hosts: 2\nconfig: { plugins: }', 'several hosts need config.plugins.service'],
    ['no hosts', 'hosts: 0', 'hosts must be 1 or more'],
  ])('refuses %s', (_what, given, reason) => {
    using folder = temporaryFolder();
    const values = join(folder.path, 'values.yaml');
    writeFileSync(values, given);
    const { status, stderr } = render([values]);
    expect([status, stderr]).toEqual([1, expect.stringContaining(reason)]);
  });

  test('its notes lead to the server, whether it has an address of its own or not', () => {
    using folder = temporaryFolder();
    cpSync(chart, folder.path, { recursive: true });
    // As a manifest: only those are printed.
    const notes = join(folder.path, 'templates/NOTES.txt');
    const manifest = 'apiVersion: v1\nkind: ConfigMap\nmetadata: { name: notes }\ndata:\n  notes: |\n';
    writeFileSync(
      join(folder.path, 'templates/notes.yaml'),
      manifest + readFileSync(notes, 'utf8').replaceAll(/^(?=.)/gm, '    '),
    );
    const values = join(folder.path, 'addressed.yaml');
    writeFileSync(values, 'config: { externalURL: "https://code.example.com" }');
    const read = (files: readonly string[]): string =>
      JSON.stringify(render(files, folder.path).manifests.get('ConfigMap notes'));
    expect(read([])).toContain('kubectl port-forward --namespace default service/sextant 7080:8080');
    expect(read([])).toContain('http://sextant.default:8080/.api/mcp');
    expect(read([values])).toContain('Clients connect to https://code.example.com/.api/mcp');
    expect(read([values])).not.toMatch(/port-forward|sextant\.default/);
  });

  test('a field that Kubernetes does not have is found', () => {
    using folder = temporaryFolder();
    cpSync(chart, folder.path, { recursive: true });
    const file = join(folder.path, 'templates/hosts.yaml');
    writeFileSync(file, readFileSync(file, 'utf8').replace('readOnlyRootFilesystem', 'readOnlyRootFileSystem'));
    const { status, stderr } = render([], folder.path);
    expect([status, stderr]).toEqual([1, expect.stringContaining('unknown field "spec.template.spec.containers[0].')]);
  });
});
