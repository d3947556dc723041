import type { ImportRequest, Language, SourceTree } from '@sextant/contracts';
import { folderOf, foldersAround, joinPath } from '../paths.ts';
import { each, ofCollection } from './grammar.ts';

const own = '(attribute object: (identifier) @_self attribute: (identifier) @name @assigned)';
const ownTyped = '(attribute object: (identifier) @_self attribute: (identifier) @typed)';
/** What is read without calling it. */
const getter = '(decorator [(identifier) @_get (attribute attribute: (identifier) @_get)])';

const definitionsQuery = `
(class_definition name: (identifier) @name) @definition.class
(class_definition body: (block) @class-body)
(class_definition body: (block (function_definition name: (identifier) @name) @member.method))
(class_definition body: (block (decorated_definition definition: (function_definition name: (identifier) @name) @member.method)))
(class_definition body: (block (expression_statement (assignment left: (identifier) @name @assigned) @member.property)))
(function_definition name: (identifier) @name) @definition.function @scope
[(lambda) (list_comprehension) (dictionary_comprehension) (set_comprehension) (generator_expression)] @scope
${each('assignment for_statement', (form) => `(${form} left: (identifier) @name @assigned) @definition.variable`)}
(assignment left: ${own} @member.property (#eq? @_self "self"))
(named_expression name: (identifier) @name @assigned) @definition.variable
${each('as_pattern_target pattern_list tuple_pattern list_pattern', (form) => `(${form} (identifier) @name @assigned) @definition.variable`)}
(as_pattern_target (tuple (identifier) @name @assigned)) @definition.variable
(parameters [(identifier) @parameter (list_splat_pattern (identifier) @parameter) (dictionary_splat_pattern (identifier) @parameter)])
(lambda_parameters (identifier) @parameter)
(typed_parameter . [(identifier) @parameter (list_splat_pattern (identifier) @parameter) (dictionary_splat_pattern (identifier) @parameter)])
${each('default_parameter typed_default_parameter', (form) => `(${form} name: (identifier) @parameter)`)}
(for_in_clause left: (identifier) @parameter)
(import_from_statement module_name: (_) @import.source name: (dotted_name) @import.name)
(import_from_statement module_name: (_) @import.source name: (aliased_import name: (dotted_name) @import.name alias: (identifier) @import.alias))
(import_from_statement module_name: (_) @import.source (wildcard_import)) @import.all
(import_statement name: (dotted_name) @import.source @import.module)
(import_statement name: (dotted_name . (identifier) @import.source @import.module . (identifier)))
(import_statement name: (aliased_import name: (dotted_name) @import.source alias: (identifier) @import.module))
`;

/** Where the types of names come from. */
const relationsQuery = `
(decorated_definition ${getter} definition: (function_definition name: (identifier) @typed return_type: (type) @of-type) (#any-of? @_get "property" "cached_property"))
(decorated_definition ${getter} definition: (function_definition name: (identifier) @typed @getter !return_type) @function (#any-of? @_get "property" "cached_property"))
(function_definition name: (identifier) @typed return_type: (type)? @gives) @function
(return_statement (_) @returned)
(assignment left: [(identifier) @typed ${ownTyped}] type: (type) @of-type)
(assignment left: [(identifier) @typed ${ownTyped}] right: (_) @of-value)
(assignment left: (pattern_list (identifier) @typed @by-index) right: (_) @of-value)
${each('named_expression default_parameter', (form) => `(${form} name: (identifier) @typed value: (_) @of-value)`)}
${each('for_statement for_in_clause', (form) => `(${form} left: (identifier) @typed right: (_) @of-element)`)}
${each('for_statement for_in_clause', (form) => `(${form} left: (pattern_list (identifier) @typed @by-index) right: (_) @of-element)`)}
(as_pattern . (_) @of-value alias: (as_pattern_target (identifier) @typed))
(typed_parameter . (identifier) @typed type: (type) @of-type)
(typed_default_parameter name: (identifier) @typed type: (type) @of-type)
(class_definition name: (identifier) @extended superclasses: (argument_list [(identifier) (attribute) (subscript)] @of-type))
`;

const test = '(call function: (identifier) @_test arguments: (argument_list . (_) @narrowed . (_) @narrowed-to .))';
const tests = `[${test} (boolean_operator left: ${test} operator: "and") (boolean_operator operator: "and" right: ${test})]`;
const isTest = '(#eq? @_test "isinstance")';
const leaves = '(block [(return_statement) (raise_statement) (continue_statement)] .)';

/** Tests that narrow the type of a value. */
const narrowingQuery = `
${each('if_statement elif_clause', (form) => `(${form} condition: ${tests} consequence: (block) @narrowed-in ${isTest})`)}
(while_statement condition: ${tests} body: (block) @narrowed-in ${isTest})
(boolean_operator left: ${test} operator: "and" right: (_) @narrowed-in ${isTest})
(conditional_expression . (_) @narrowed-in . ${test} ${isTest})
(assert_statement ${tests} ${isTest}) @narrowed-after
(if_statement condition: (not_operator argument: ${test}) consequence: ${leaves} !alternative ${isTest}) @narrowed-after
(match_statement subject: (_) @narrowed body: (block alternative: (case_clause (case_pattern (class_pattern (dotted_name) @narrowed-to)) consequence: (block) @narrowed-in)))
(case_clause (case_pattern (as_pattern (case_pattern (class_pattern (dotted_name) @narrowed-to)) (identifier) @narrowed)) consequence: (block) @narrowed-in)
`;

const query = `${definitionsQuery}${relationsQuery}${narrowingQuery}
(assignment left: (identifier) @_all right: [(list (string (string_content) @use)) (tuple (string (string_content) @use))] (#eq? @_all "__all__"))
(augmented_assignment left: (identifier) @_all right: (list (string (string_content) @use)) (#eq? @_all "__all__"))
(call function: (identifier) @call)
(call function: (attribute attribute: (identifier) @call))
(type (identifier) @type)
(type (string (string_content) @type-words))
(type (binary_operator (string (string_content) @type-words)))
(type (subscript subscript: (string (string_content) @type-words)))
(generic_type (identifier) @_literal (type_parameter (type (string (string_content) @keyword))) (#eq? @_literal "Literal"))
(subscript value: [(identifier) @_literal (attribute attribute: (identifier) @_literal)] subscript: (string (string_content) @keyword) (#eq? @_literal "Literal"))
(class_definition superclasses: (argument_list (keyword_argument name: (identifier) @keyword)))
(call function: (_) @called arguments: (argument_list (keyword_argument name: (identifier) @argument-name)))
(attribute object: (_) @qualifier attribute: (identifier) @of-qualifier)
(identifier) @use
`;

/** Folders below which packages lie. */
const roots = ['', 'src', 'lib', 'python'];

async function resolveImport({ path, module, name }: ImportRequest, tree: SourceTree): Promise<string[]> {
  const dots = /^\.*/.exec(module)?.[0].length ?? 0;
  const inside = module.slice(dots).replaceAll('.', '/');
  return basesOf(path, dots).flatMap((base) => {
    const place = inside === '' ? base : joinPath(base, inside);
    const modules = [`${place}.py`, `${place}.pyi`, joinPath(place, '__init__.py'), joinPath(place, '__init__.pyi')];
    const submodules = name === '' ? [] : [joinPath(place, `${name}.py`), joinPath(place, `${name}/__init__.py`)];
    return [...modules, ...submodules].filter((candidate) => tree.has(candidate));
  });
}

function basesOf(path: string, dots: number): string[] {
  const around = [...foldersAround(path)];
  return dots > 0 ? [around[dots - 1] ?? ''] : [...new Set([...roots, ...around.toReversed()])];
}

async function packageNames(tree: SourceTree): Promise<string[]> {
  const packages = tree.named('__init__.py').map((path) => folderOf(path).replace(/^(src|lib|python)\//, ''));
  return [...new Set(packages.filter((folder) => folder !== '' && !folder.includes('/')))];
}

/** What a `Callable` takes. */
const taken = /(?<=\bCallable\[)(\[[^\]]*\]|\.\.\.)(?=,)/g;

/** `list[Foo]` is `list<Foo>`; values stay as they are. */
const typeText = (text: string): string =>
  /^=|=>=/.test(text) ? text : text.replace(/["']/g, '').replace(taken, '_').replaceAll('[', '<').replaceAll(']', '>');

export const python: Language = {
  ...ofCollection('python'),
  extensions: ['.py', '.pyi'],
  query,
  resolveImport,
  typeText,
  packageNames: (tree) => tree.derived(packageNames),
  manifestsOf: (module) => {
    const [name = ''] = module.split('.');
    return name === ''
      ? []
      : ['pyproject.toml', 'setup.cfg', 'setup.py'].map((file) => ({ file, text: name.replaceAll('_', '-') }));
  },
};
