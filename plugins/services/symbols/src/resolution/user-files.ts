import type { Language } from '@sextant/contracts';
import type { Candidate, CandidateList, Candidates } from '../candidates.ts';
import { fileKey } from './found-uses.ts';
import { packagesOf } from './imports.ts';
import type { Target } from './target.ts';

/** Files of the repository, and of all others, that are parsed for one answer. */
const maxFiles = 2000;
const maxElsewhere = 500;
/** Types of the members of one name that are told apart. */
const maxTypes = 20;

/** Folders of packages that were copied here: they know nothing of the code around them. */
const vendored = /(^|\/)(vendor|node_modules|third_party)\//;

/** Files that have a text. */
export interface UserFiles {
  /** That of the definition, and those that name its type, those of its repository first; all where it has none. */
  readonly naming: readonly Candidate[];
  readonly others: readonly Candidate[];
  readonly isCut: boolean;
}

const none: CandidateList = { files: [], isCut: false };

/** Finds the files that may use definitions of one file under a text. */
export async function userFiles(
  candidates: Candidates,
  targets: readonly [Target, ...Target[]],
  text: string,
): Promise<UserFiles> {
  const [target] = targets;
  const { snapshot, path } = target;
  const language = snapshot.languages.of(path);
  if (!language) return { naming: [], others: [], isCut: false };
  const using = (name: string): Promise<CandidateList[]> => usersOf(candidates, target, { name, language });
  const [here = none, there = none] = await using(text);
  const files = [...here.files.filter((file) => file.path !== path), ...there.files];
  const isCut = here.isCut || there.isCut;
  const types = targets.map(({ definition: { isMember, container } }) => (isMember ? container : undefined));
  if (types.includes(undefined)) return { naming: [target, ...files], others: [], isCut };
  const names = [...new Set(types)].flatMap((one) => one ?? []).slice(0, maxTypes);
  const lists = (await Promise.all(names.map(using))).flat();
  const naming = new Set(lists.flatMap((list) => list.files.map(fileKey)));
  const { likely = [], unlikely = [] } = Object.groupBy(files, (file) =>
    naming.has(fileKey(file)) ? 'likely' : 'unlikely',
  );
  return { naming: [target, ...likely], others: unlikely, isCut };
}

/** Those of the repository, then those of all others; what is vendored is used by its own copy elsewhere. */
async function usersOf(
  candidates: Candidates,
  { snapshot, path }: Target,
  { name, language }: { name: string; language: Language },
): Promise<CandidateList[]> {
  const isVendored = vendored.test(path);
  const users = { name, role: 'use', language } as const;
  const here = await candidates.inSnapshot(snapshot, path, {
    ...users,
    ...(!isVendored && { isFitting: (other: string) => !vendored.test(other) }),
    limit: maxFiles,
  });
  const packages = await packagesOf(snapshot, language);
  if (isVendored || packages?.length === 0) return [here];
  return [here, await candidates.elsewhere(snapshot, { ...users, packages, limit: maxElsewhere })];
}
