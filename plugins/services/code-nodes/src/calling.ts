import { AsyncLocalStorage } from 'node:async_hooks';
import { defineWrapper, optional } from '@sextant/core';
import type { Caller, Token, Wrapper } from '@sextant/core';

/** In whose name a service of this host reads repositories: nodes answer nobody else. */
const calling = new AsyncLocalStorage<Caller>();

/** Undefined for work that nobody asked for, such as reading ahead. */
export const currentCaller = (): Caller | undefined => calling.getStore();

/** Notes the caller of each call of a service, whose methods begin with one. */
export const callsNoted = <T extends object>(service: Token<T>): Wrapper =>
  defineWrapper({ service: optional(service), wrap: (inner) => inner && noted(inner) });

const noted = <T extends object>(service: T): T =>
  new Proxy(service, {
    get: (target, name) => {
      const member: unknown = Reflect.get(target, name, target);
      if (typeof member !== 'function') return member;
      return (...args: unknown[]) => {
        const [caller] = args;
        const call = (): unknown => Reflect.apply(member, target, args);
        return isCaller(caller) ? calling.run(caller, call) : call();
      };
    },
  });

const isCaller = (value: unknown): value is Caller =>
  typeof value === 'object' && value !== null && 'user' in value && 'credential' in value;
