import { posix } from 'node:path';
import type { ImportRequest, Language, PackageManifest, SourceTree } from '@sextant/contracts';
import { each, kinds, ofCollection } from './grammar.ts';
import { isRecord, recordIn, textsIn } from './node-modules.ts';
import { manifestsIn } from './tree-files.ts';

const query = `
(namespace_definition name: (namespace_name) @name) @definition.package
${kinds('definition', 'name: (name) @name', { class: 'class_declaration', interface: 'interface_declaration', trait: 'trait_declaration', enum: 'enum_declaration' })}
(enum_case name: (name) @name) @member.constant
(class_declaration body: (declaration_list (const_declaration (const_element (name) @name) @member.constant)))
(const_declaration (const_element . (name) @name)) @definition.constant
(property_declaration (property_element name: (variable_name (name) @name))) @member.property
(method_declaration name: (name) @name) @member.method @scope
(function_definition name: (name) @name) @definition.function @scope
(property_promotion_parameter name: (variable_name (name) @name)) @member.property
[(anonymous_function) (arrow_function)] @scope
${each('simple_parameter variadic_parameter', (form) => `(${form} name: (variable_name (name) @parameter))`)}
(assignment_expression left: (variable_name (name) @name)) @definition.variable
(list_literal (variable_name (name) @name)) @definition.variable
(foreach_statement (pair (variable_name (name) @local)))
(foreach_statement (_) . (variable_name (name) @local))
(catch_clause name: (variable_name (name) @local))
${each('simple_parameter property_promotion_parameter', (form) => `(${form} type: (_) @of-type name: (variable_name (name) @typed))`)}
(property_declaration type: (_) @of-type (property_element name: (variable_name (name) @typed)))
(assignment_expression left: (variable_name (name) @typed) right: (_) @of-value)
(foreach_statement (_) @of-element . (variable_name (name) @typed))
${each('method_declaration function_definition', (form) => `(${form} name: (name) @typed return_type: (_)? @gives) @function`)}
(return_statement (_) @returned)
${each('class_declaration interface_declaration', (form) => `(${form} name: (name) @extended (base_clause (name) @of-type))`)}
(class_declaration name: (name) @extended (class_interface_clause (name) @of-type))
(class_declaration name: (name) @extended body: (declaration_list (use_declaration (name) @of-type)))
${each('base_clause class_interface_clause use_declaration', (form) => `(${form} [(name) @type (qualified_name (name) @type)])`)}
(function_call_expression function: (name) @call)
${each('member_call_expression scoped_call_expression nullsafe_member_call_expression', (form) => `(${form} name: (name) @call)`)}
(object_creation_expression [(name) @call (qualified_name (name) @call)])
(function_call_expression function: (qualified_name (name) @call))
(qualified_name prefix: (_) @qualifier (name) @of-qualifier)
(named_type (name) @type)
(named_type (qualified_name (name) @type))
${each('member_call_expression member_access_expression nullsafe_member_call_expression nullsafe_member_access_expression', (form) => `(${form} object: (_) @qualifier name: (name) @of-qualifier)`)}
(scoped_property_access_expression scope: (_) @qualifier name: (variable_name (name) @of-qualifier))
(scoped_call_expression scope: (_) @qualifier name: (name) @of-qualifier)
(class_constant_access_expression (_) @qualifier (name) @of-qualifier)
(namespace_use_declaration (namespace_use_clause (qualified_name (name) @import.name) @import.source !alias))
(namespace_use_declaration (namespace_use_clause (qualified_name (name) @import.name) @import.source alias: (name) @import.alias))
(namespace_use_declaration (namespace_use_group (namespace_use_clause [(name) @import.name (qualified_name (name) @import.name)] !alias))) @import.source
(namespace_use_declaration (namespace_use_group (namespace_use_clause . [(name) @import.name (qualified_name (name) @import.name)] alias: (name) @import.alias))) @import.source
(name) @use
`;

/** `?Parts\Lid` is `Parts.Lid`. Values stay as they are. */
const typeText = (text: string): string =>
  text.replace(/^(?!=)[^=]*|(?<==>)(?!=).*/g, (type) => type.replace(/^\?|(?<=\W)\\|^\\/g, '').replaceAll('\\', '.'));

export const php: Language = {
  ...ofCollection('php'),
  extensions: ['.php'],
  query,
  visibility: 'everywhere',
  resolveImport: resolvePhpImport,
  namespaces: { of: phpNamespaceOf },
  typeText,
  importOf: (qualifier, name) => (/^\\?[A-Z]\w*(\\\w+)*$/.test(qualifier) ? `${qualifier}\\${name}` : undefined),
  packageNames: phpNamespaces,
  manifestsOf: phpManifests,
};

/** Where classes and functions are, as composer.json says. */
interface Autoload {
  /** Namespaces, with a backslash at the end, and the folders of their classes. The longest come first. */
  readonly roots: readonly { readonly namespace: string; readonly folder: string }[];
  /** Files that are always loaded. */
  readonly files: readonly string[];
}

async function resolvePhpImport({ module, name }: ImportRequest, tree: SourceTree): Promise<string[]> {
  const { roots, files } = await tree.derived(autoloadOf);
  const used = qualified(module, name);
  const around = roots.filter(({ namespace }) => used.startsWith(namespace));
  const classes = around.map(({ namespace, folder }) => {
    return posix.join(folder, `${used.slice(namespace.length).replaceAll('\\', '/')}.php`);
  });
  return [...classes, ...(around.length > 0 ? files : [])].filter((path) => tree.has(path));
}

/** `Acme\Shop\Item` is of the namespace `Acme\Shop`. */
function phpNamespaceOf({ module, name }: Pick<ImportRequest, 'module' | 'name'>): string {
  const used = qualified(module, name);
  return name === '' ? used : used.split('\\').slice(0, -1).join('\\');
}

/** The namespaces of a repository. */
async function phpNamespaces(tree: SourceTree): Promise<string[]> {
  return (await tree.derived(autoloadOf)).roots.map(({ namespace }) => namespace);
}

/** The namespaces around an imported name as composer.json writes them, the longest first. */
function phpManifests(module: string): PackageManifest[] {
  const parts = qualified(module, '').split('\\').slice(0, -1);
  const namespaces = parts.map((_, end) => parts.slice(0, parts.length - end));
  return namespaces.map((names) => ({ file: 'composer.json', text: `"${names.join('\\\\')}\\\\"` }));
}

/** The qualified name that a `use` imports. In a group, the one that ends with `name`. */
function qualified(module: string, name: string): string {
  const group = /^use\s+(?:(?:function|const)\s+)?\\?([\w\\]+)\\\{([^}]*)\}/.exec(module);
  if (!group) return module.replace(/^\\/, '');
  const [, around = '', inside = ''] = group;
  const items = inside.split(',').map((item) =>
    item
      .trim()
      .replace(/^(function|const)\s+/, '')
      .replace(/\s+as\s.*$/s, ''),
  );
  return `${around}\\${items.find((item) => item.split('\\').at(-1) === name) ?? name}`;
}

async function autoloadOf(tree: SourceTree): Promise<Autoload> {
  const all: Autoload[] = [];
  for (const { text, folder } of await manifestsIn(tree, tree.named('composer.json'))) {
    const manifest = recordIn(text);
    all.push(...['autoload', 'autoload-dev'].map((key) => autoloadIn(manifest[key], folder)));
  }
  const roots = all.flatMap((one) => one.roots).toSorted((a, b) => b.namespace.length - a.namespace.length);
  return { roots, files: all.flatMap(({ files }) => files) };
}

function autoloadIn(autoload: unknown, base: string): Autoload {
  if (!isRecord(autoload)) return { roots: [], files: [] };
  const mapped = isRecord(autoload['psr-4']) ? Object.entries(autoload['psr-4']) : [];
  const roots = mapped.flatMap(([namespace, folders]) =>
    textsIn(folders).map((folder) => ({ namespace, folder: posix.join(base, folder) })),
  );
  return { roots, files: textsIn(autoload['files']).map((file) => posix.join(base, file)) };
}
