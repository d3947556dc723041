import type { HostRepository } from '@sextant/contracts';
import { z } from 'zod';

/** How a repository is cloned: `name` is the protocol. */
export const cloneLink = z.object({ name: z.string(), href: z.string() });

/** The URLs among the links. `web` is how the host calls that over http. */
export function cloneURLsIn(
  links: readonly z.output<typeof cloneLink>[],
  web: 'http' | 'https',
): Pick<HostRepository, 'cloneURL' | 'sshURL'> {
  const hrefOf = (protocol: string): string | undefined => links.find(({ name }) => name === protocol)?.href;
  const sshURL = hrefOf('ssh');
  return { cloneURL: withoutAccount(hrefOf(web) ?? ''), ...(sshURL !== undefined && { sshURL }) };
}

/** The cloud and older versions of Data Center write the name of the account that asks into it. */
function withoutAccount(href: string): string {
  if (!URL.canParse(href)) return href;
  const url = new URL(href);
  url.username = '';
  return url.href;
}
