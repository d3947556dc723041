import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { networkOf } from '@sextant/core';
import { connectionLimits } from './connection-limits.ts';
import type { ConnectionLimits } from './connection-limits.ts';
import type { ListenerState } from './listener-state.ts';
import { recordRefusal } from '../record-refusal.ts';
import { refuse } from './request-times.ts';

/**
 * Bounds the open connections, in all and of one address, so that neither uses up the descriptors of the process. Trusted
 * proxies speak for many clients: only the bound of all holds for them.
 */
export function limitConnections(server: Server, state: ListenerState): void {
  const { serving } = state;
  const open = new Map<string, number>();
  const limits = (): ConnectionLimits => connectionLimits(serving.current.settings.limits);
  server.maxConnections = limits().connections;
  server.on('drop', () => recordRefusal(state, { code: 'exhausted', message: tooManyInAll(limits().connections) }));
  server.on('connection', (socket: Socket) => {
    const { connections, connectionsPerAddress } = limits();
    // The configuration may have changed.
    server.maxConnections = connections;
    const { remoteAddress } = socket;
    if (remoteAddress === undefined || serving.current.trustedProxies.has(remoteAddress)) return;
    const network = networkOf(remoteAddress);
    const count = open.get(network) ?? 0;
    if (count >= connectionsPerAddress) {
      recordRefusal(state, { code: 'exhausted', message: `${network} has ${count} open connections` });
      return refuse(socket, 429, tooMany(connectionsPerAddress));
    }
    open.set(network, count + 1);
    socket.once('close', () => {
      const left = (open.get(network) ?? 0) - 1;
      if (left > 0) open.set(network, left);
      else open.delete(network);
    });
  });
}

const tooManyInAll = (most: number): string =>
  `${most} connections are open, the most there may be (limits.connections, and a quarter of the open files)`;

const tooMany = (most: number): { headers: string; body: string } => ({
  headers: 'Retry-After: 1\r\nContent-Type: text/plain; charset=utf-8\r\n',
  body: `your address has ${most} open connections, the most it may have; close some, or have the operator name a proxy in trustedProxies\n`,
});
