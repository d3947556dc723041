import type { Directory, UsageUser } from '@sextant/contracts';

/** The users of this instance by id, or one of them. */
export async function people(directory: Pick<Directory, 'list'>, only?: number): Promise<UsageUser[]> {
  return (await directory.list())
    .filter(({ id }) => only === undefined || id === only)
    .map(({ id, name, email = '', isDisabled, isServiceAccount, isSiteAdmin }) => ({
      id,
      name,
      email,
      isActive: !isDisabled,
      isServiceAccount,
      isSiteAdmin,
    }))
    .toSorted((a, b) => a.id - b.id);
}
