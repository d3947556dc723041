import { oneLine } from '@sextant/core';
import { LRUCache } from 'lru-cache';
import { CLIENT_INFO_META_KEY } from '@modelcontextprotocol/server';
import { isRecord } from './messages/json-rpc.ts';
import type { RpcNotification } from './messages/json-rpc.ts';

/** Clients that are remembered: those that were seen last. */
const maxClients = 10_000;
const maxNameLength = 100;

/** Which program sent a request, as far as it shows. */
export interface Sender {
  credential: string;
  userAgent: string | null;
}

/** The names that clients gave when they introduced themselves, for the requests that follow without one. */
export class ClientNames {
  readonly #names = new LRUCache<string, string>({ max: maxClients });

  /** The name of the client that sent a message: as the message says, as it said before, or by its user agent. */
  nameIn({ method, params }: RpcNotification, sender: Sender): string | undefined {
    const meta = params?.['_meta'];
    const stated = isRecord(meta) ? nameOf(meta[CLIENT_INFO_META_KEY]) : undefined;
    const introduced = method === 'initialize' ? nameOf(params?.['clientInfo']) : undefined;
    if (introduced !== undefined) this.#names.set(keyOf(sender), introduced);
    return stated ?? introduced ?? this.of(sender);
  }

  /** The name that was given, else the product that the user agent begins with (RFC 9110 section 10.1.5). */
  of(sender: Sender): string | undefined {
    return this.#names.get(keyOf(sender)) ?? productOf(sender.userAgent);
  }
}

/** The name in what MCP calls an implementation. */
const nameOf = (info: unknown): string | undefined =>
  isRecord(info) && typeof info['name'] === 'string' ? shownName(info['name']) : undefined;

/** As people and reports see it. */
const shownName = (name: string): string | undefined =>
  oneLine(name.slice(0, maxNameLength)).slice(0, maxNameLength).toWellFormed().trim() || undefined;

const keyOf = ({ credential, userAgent }: Sender): string => `${credential}\n${userAgent?.slice(0, 300)}`;

const productOf = (userAgent: string | null): string | undefined =>
  shownName(/^[^\s/()]+/.exec(userAgent ?? '')?.[0] ?? '');
