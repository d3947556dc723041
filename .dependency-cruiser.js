/** The arrows of the architecture: what may import what. */
const ring = {
  core: '^core/',
  contracts: '^plugins/contracts/',
  libraries: '^plugins/libraries/',
  plugin: '^plugins/(tools|reports|services|sources|auth|pages)/([^/]+)/',
  preset: '^plugins/preset/',
  host: '^host/',
  test: '^test/',
};
const ours = '^(core|host|plugins|test)/';
const testFiles = '(\\.test\\.ts$|/testing/)';

/** Rooms of the search index, the lowest first: a room imports only from itself and from lower rooms. */
const searchIndex = '^plugins/services/search-index/src/';
const searchRooms = ['shards', 'snapshot', 'match', 'rank', 'show', 'pool', 'indexing', 'revisions', 'explain'];
const higherRooms = (room) => `${searchIndex}(${searchRooms.slice(searchRooms.indexOf(room) + 1).join('|')})/`;

const forbid = (name, from, to, comment) => ({ name, severity: 'error', comment, from, to });

export default {
  forbidden: [
    forbid('no-circles', { pathNot: testFiles }, { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } }),
    forbid('resolvable', {}, { couldNotResolve: true }, 'An import that nothing answers to'),
    forbid('declared', {}, { dependencyTypes: ['npm-no-pkg', 'npm-unknown'] }, 'The package must be in the manifest'),
    forbid('core-alone', { path: ring.core }, { path: ours, pathNot: ring.core }, 'core knows nothing of ours'),
    forbid('contracts', { path: ring.contracts }, { path: ours, pathNot: [ring.core, ring.contracts] }),
    forbid(
      'libraries',
      { path: ring.libraries, pathNot: testFiles },
      { path: ours, pathNot: [ring.core, ring.libraries] },
      'A library may use core and lower libraries; no-circles keeps them in order',
    ),
    forbid(
      'plugins-apart',
      { path: ring.plugin, pathNot: testFiles },
      { path: ours, pathNot: [ring.core, ring.contracts, ring.libraries, '^plugins/$1/$2/'] },
      'A plugin knows core and contracts, and no other plugin',
    ),
    forbid(
      'libraries-for-services-and-pages',
      { path: '^plugins/(tools|reports|auth)/' },
      { path: ring.libraries, pathNot: '^plugins/libraries/ui/' },
    ),
    forbid(
      'look-for-those-with-pages',
      { path: '^plugins/(tools|reports)/' },
      { path: '^plugins/libraries/ui/' },
      'Ways to sign in have pages too',
    ),
    forbid('preset-names-only', { path: ring.preset }, { path: ours, pathNot: ring.preset }),
    forbid(
      'host',
      { path: ring.host, pathNot: [testFiles, '^host/examples/'] },
      { path: ours, pathNot: [ring.host, ring.core, ring.preset] },
    ),
    forbid(
      'nobody-imports-tests',
      { pathNot: [ring.test, testFiles] },
      { path: [ring.test, testFiles], pathNot: '^core/src/testing/' },
    ),
    forbid(
      'injection-in-one-file',
      { pathNot: '^core/src/plugins/services\\.ts$' },
      { path: 'node_modules/(tsyringe|reflect-metadata)/' },
    ),
    forbid(
      'mcp-in-one-folder',
      { path: ours, pathNot: ['^host/src/mcp/', ring.test, testFiles] },
      { path: 'node_modules/@modelcontextprotocol/' },
    ),
    forbid(
      'sqlite-in-few-packages',
      { path: ours, pathNot: '^plugins/services/(sqlite|postgres|scip|symbols)/' },
      { path: 'node_modules/better-sqlite3/' },
      'The database; and what can be made again, in files of its own',
    ),
    ...searchRooms
      .slice(0, -1)
      .map((room) =>
        forbid(
          `search-index-${room}`,
          { path: `${searchIndex}${room}/`, pathNot: testFiles },
          { path: higherRooms(room) },
          `Rooms are in order: ${searchRooms.join(', ')}`,
        ),
      ),
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: ['/assembly/'] },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'default', 'types'] },
  },
};
