import { describe, expect, test } from 'vitest';
import { TrustedProxies, network } from './client-address.ts';

const proxies = new TrustedProxies(['127.0.0.1', '10.0.0.0/8', 'fd00::/8']);

describe('where a request comes from', () => {
  test.each([
    ['nobody is trusted unless the operator says so', [], '127.0.0.1', '203.0.113.9', '127.0.0.1'],
    ['a stranger is not believed', undefined, '198.51.100.1', '203.0.113.9', '198.51.100.1'],
    ['a trusted proxy is', undefined, '127.0.0.1', '203.0.113.9', '203.0.113.9'],
    [
      'through a chain, what a client wrote itself is not',
      undefined,
      '127.0.0.1',
      '1.1.1.1, 203.0.113.9, 10.0.0.2',
      '203.0.113.9',
    ],
    ['IPv4 shown as IPv6 is IPv4', undefined, '::ffff:127.0.0.1', '::ffff:203.0.113.9', '203.0.113.9'],
    ['ports and brackets are left out', undefined, 'fd00::1', '[2001:db8::7]:4711', '2001:db8::7'],
    ['of an IPv4 address too', undefined, '10.1.2.3', '203.0.113.9:80', '203.0.113.9'],
    ['a proxy that says nothing is where it comes from', undefined, '10.1.2.3', null, '10.1.2.3'],
    ['what is no address ends the chain', undefined, '10.1.2.3', '203.0.113.9, unknown', '10.1.2.3'],
    ['all of them trusted: the first', undefined, '10.1.2.3', '10.0.0.1, 10.0.0.2', '10.0.0.1'],
  ] as const)('%s', (_what, networks, connected, forwarded, address) => {
    const trusted = networks === undefined ? proxies : new TrustedProxies(networks);
    expect(trusted.addressOf(connected, forwarded)).toBe(address);
  });

  test('is unknown where there is no connection', () => {
    expect(proxies.addressOf(undefined, '203.0.113.9')).toBeUndefined();
  });
});

test('a network is an address, with or without its length', () => {
  const isGood = (text: string): boolean => network.safeParse(text).success;
  expect(['127.0.0.1', '::1', '10.0.0.0/8', 'fd00::/8'].every(isGood)).toBe(true);
  expect(['', 'proxy.example', '10.0.0.0/33', '10.0.0.0/', '10.0.0/8', '::/129', '1.2.3.4/8/9'].some(isGood)).toBe(
    false,
  );
});
