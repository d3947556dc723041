import { isIPv6 } from 'node:net';

/**
 * What counts as one sender when attempts or connections are limited: an IPv4 address, or the /64 network of an IPv6
 * address. One machine has countless addresses in such a network (RFC 7934 section 3). The prefix with which sockets for
 * both families show IPv4 is ignored (RFC 4291 section 2.5.5.2).
 */
export function networkOf(address: string): string {
  const plain = address.replace(/^::ffff:(?=\d+\.)/i, '');
  if (!isIPv6(plain)) return plain;
  const [head = '', tail] = plain.replace(/%.*$/, '').toLowerCase().split('::');
  const [before, after] = [head, tail ?? ''].map((part) => (part === '' ? [] : part.split(':')));
  const missing = 8 - (before?.length ?? 0) - (after?.length ?? 0);
  const groups = [
    ...(before ?? []),
    ...Array<string>(tail === undefined ? 0 : Math.max(0, missing)).fill('0'),
    ...(after ?? []),
  ];
  return `${groups
    .slice(0, 4)
    .map((group) => group.replace(/^0+(?=.)/, ''))
    .join(':')}::/64`;
}
