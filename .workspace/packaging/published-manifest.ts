/** A manifest as it stands in the workspace. */
export interface SourceManifest {
  readonly name: string;
  readonly version: string;
  readonly description: string;
  readonly license: string;
  readonly exports?: Readonly<Record<string, string>>;
  readonly bin?: Readonly<Record<string, string>>;
  readonly engines: Readonly<Record<string, string>>;
  readonly dependencies?: Readonly<Record<string, string>>;
}

interface Surroundings {
  /** Versions of the packages of others. */
  readonly catalog: Readonly<Record<string, string>>;
  /** Versions of our own packages. */
  readonly ours: Readonly<Record<string, string>>;
  /** What it has besides built files: folders and notices. */
  readonly others: readonly string[];
}

/** Their types stand in those of the public API: who brings a newer one must get a single copy. */
const sharedWithPlugins = ['kysely', 'zod'];

/** The manifest of the published package: entries are built files, and versions are those that the tests ran with. */
export function publishedManifest(source: SourceManifest, { catalog, ours, others }: Surroundings): object {
  const { name, version, description, license, bin, engines } = source;
  const entries = Object.entries(source.exports ?? {}).map(([path, file]) => [path, builtEntry(file)] as const);
  const [, main] = entries.find(([path]) => path === '.') ?? [];
  const dependencies = Object.entries(source.dependencies ?? {}).map(([name, from]) => {
    const found = from.startsWith('workspace:') ? ours[name] : catalog[name];
    if (found === undefined)
      throw new Error(`${source.name} depends on ${name}, of which the workspace has no version`);
    return [name, sharedWithPlugins.includes(name) ? `^${found}` : found];
  });
  return {
    name,
    version,
    description,
    keywords: ['sextant', ...(/\/(tool|report|page|auth|service|source)-/.test(name) ? ['sextant-plugin'] : [])],
    license,
    type: 'module',
    exports: { ...Object.fromEntries(entries), './package.json': './package.json' },
    // For tools that read no `exports`.
    ...(main && { types: main.types }),
    ...(bin && { bin }),
    files: ['dist', ...(bin ? ['bin'] : []), ...others],
    engines,
    dependencies: Object.fromEntries(dependencies),
  };
}

function builtEntry(file: string): { types: string; default: string } {
  const built = file.replace(/^\.\/src\/(.*)\.ts$/, './dist/$1');
  return { types: `${built}.d.ts`, default: `${built}.js` };
}
