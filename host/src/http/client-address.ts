import { BlockList, isIP } from 'node:net';
import { z } from 'zod';

/** An address, or a network as `10.0.0.0/8`. */
export const network = z
  .string()
  .refine((text) => addTo(new BlockList(), text), 'must be an IP address or a network such as 10.0.0.0/8');

/** The proxies whose word counts. */
export class TrustedProxies {
  readonly #list = new BlockList();

  constructor(networks: readonly string[]) {
    for (const each of networks) addTo(this.#list, each);
  }

  /**
   * The address of a caller. It is the other side of the connection. If that is a trusted proxy, it is the last address
   * in `X-Forwarded-For` that is not a trusted proxy. Anyone can write the addresses before that.
   */
  addressOf(connected: string | undefined, forwardedFor: string | null): string | undefined {
    let address = connected && bare(connected);
    for (const hop of (forwardedFor ?? '').split(',').toReversed()) {
      const before = bare(hop.trim());
      if (address === undefined || !this.has(address) || isIP(before) === 0) return address;
      address = before;
    }
    return address;
  }

  /** Whether an address is one of theirs. */
  has(address: string): boolean {
    const plain = bare(address);
    const family = isIP(plain);
    return family !== 0 && this.#list.check(plain, family === 6 ? 'ipv6' : 'ipv4');
  }
}

/** Without a port, brackets, a zone, or the prefix under which sockets for both families show IPv4. */
function bare(text: string): string {
  const [, bracketed] = /^\[([^\]]+)\](?::\d+)?$/.exec(text) ?? [];
  const [, withPort] = /^(\d+\.\d+\.\d+\.\d+):\d+$/.exec(text) ?? [];
  return (bracketed ?? withPort ?? text).replace(/^::ffff:(?=\d+\.)/i, '').replace(/%.*$/, '');
}

function addTo(list: BlockList, text: string): boolean {
  const [, address = '', bits] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(text) ?? [];
  const family = isIP(address);
  const most = family === 6 ? 128 : 32;
  if (family === 0 || Number(bits ?? most) > most) return false;
  list.addSubnet(address, Number(bits ?? most), family === 6 ? 'ipv6' : 'ipv4');
  return true;
}
