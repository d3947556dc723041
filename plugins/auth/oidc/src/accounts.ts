import type { ChangedBy, Directory, DirectoryUser } from '@sextant/contracts';
import { SextantError, isSextantError } from '@sextant/core';
import type { ProviderConfig } from './config.ts';
import type { LinkStore } from './link-store.ts';
import type { Identity } from './identity.ts';

export interface AccountsOptions {
  config: ProviderConfig;
  links: LinkStore;
  directory: Directory;
}

/** Who the people of the provider are here. */
export class Accounts {
  readonly #config: ProviderConfig;
  readonly #links: LinkStore;
  readonly #directory: Directory;

  constructor({ config, links, directory }: AccountsOptions) {
    this.#config = config;
    this.#links = links;
    this.#directory = directory;
  }

  /** The user behind an identity, with the roles of today. Throws `forbidden` with what the person can do about it. */
  async enter(identity: Identity, address: string): Promise<DirectoryUser> {
    this.#requireDomain(identity);
    const user =
      (await this.#linked(identity)) ?? (await this.#link(identity)) ?? (await this.#create(identity, address));
    if (user.isDisabled) throw refusal(`The user ${user.name} is disabled here. Ask whoever runs this server.`);
    return this.#withRoles(user, identity, { actor: { id: user.id, name: user.name }, address });
  }

  #requireDomain({ email }: Identity): void {
    const { allowedEmailDomains } = this.#config;
    if (allowedEmailDomains.length === 0) return;
    const domain = email?.slice(email.lastIndexOf('@') + 1).toLowerCase();
    if (domain === undefined || !allowedEmailDomains.includes(domain))
      throw refusal(
        `Only people with a verified e-mail address at ${allowedEmailDomains.join(' or ')} are let in here.`,
      );
  }

  async #linked(identity: Identity): Promise<DirectoryUser | undefined> {
    const userId = await this.#links.find(identity);
    return userId === undefined ? undefined : (await this.#directory.list()).find(({ id }) => id === userId);
  }

  /** Once: whoever gets the address of someone who left, from the same provider, is not that user. */
  async #link(identity: Identity): Promise<DirectoryUser | undefined> {
    const email = identity.email?.toLowerCase();
    if (!this.#config.linkByEmail || email === undefined) return undefined;
    const [user, ...others] = (await this.#directory.list()).filter((each) => each.email?.toLowerCase() === email);
    if (!user || others.length > 0 || user.isServiceAccount || user.isDisabled) return undefined;
    return (await this.#links.add(identity, user.id)) ? user : undefined;
  }

  async #create(identity: Identity, address: string): Promise<DirectoryUser> {
    if (!this.#config.createUsers)
      throw refusal('There is no user for you here. Ask whoever runs this server to add you.');
    const name = userNameOf(identity.claims[this.#config.nameClaim]);
    if (name === undefined)
      throw refusal(`The provider does not say what you are called (claim ${this.#config.nameClaim}).`);
    const user = await this.#add(name, identity, address);
    await this.#links.add(identity, user.id);
    return user;
  }

  async #add(name: string, { email }: Identity, address: string): Promise<DirectoryUser> {
    try {
      return await this.#directory.add({ name, ...(email !== undefined && { email }) }, { address });
    } catch (error) {
      if (!isSextantError(error) || error.code !== 'conflict') throw error;
      // A name is no proof of being that user.
      throw refusal(
        `There is a user ${name} here already. If that is you, ask whoever runs this server to link you: oidc link ${name} SUBJECT`,
      );
    }
  }

  /** Roles that groups give come and go with them; others stay. */
  async #withRoles(user: DirectoryUser, { claims }: Identity, by: ChangedBy): Promise<DirectoryUser> {
    const mapped = Object.entries(this.#config.roles);
    if (mapped.length === 0 || user.managedBy === 'config') return user;
    const groups = [claims[this.#config.groupsClaim]].flat();
    const given = mapped.flatMap(([group, role]) => (groups.includes(group) ? [role] : []));
    const others = user.roles.filter((role) => !mapped.some(([, each]) => each === role));
    const roles = [...new Set([...others, ...given])].toSorted();
    if (roles.join('\n') === user.roles.toSorted().join('\n')) return user;
    try {
      return await this.#directory.setRoles(user.name, roles, by);
    } catch (error) {
      throw new SextantError(
        'unavailable',
        'The roles that groups give here are set up wrongly. Tell whoever runs this server.',
        {
          cause: error,
        },
      );
    }
  }
}

const refusal = (message: string): SextantError => new SextantError('forbidden', message);

/** What a name of the provider becomes here; of an address what stands before the host. */
function userNameOf(claim: unknown): string | undefined {
  if (typeof claim !== 'string') return undefined;
  const [local = ''] = claim.normalize('NFKD').replaceAll(/\p{M}/gu, '').split('@');
  const name = local.replaceAll(/[^A-Za-z0-9._-]+/g, '-').replace(/^[^A-Za-z0-9]+/, '');
  return name === '' ? undefined : name.slice(0, 100);
}
