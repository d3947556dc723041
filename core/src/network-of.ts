import { isIPv6 } from 'node:net';

/**
 * What counts as one sender where attempts or connections are limited: an IPv4 address, or the /64 network of an IPv6 address, within
 * which a single machine has more addresses than anyone can count (RFC 7934 section 3). Sockets for both families show IPv4
 * with a prefix (RFC 4291 section 2.5.5.2), which does not count.
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
