import childProcess from 'node:child_process';
import dgram from 'node:dgram';
import dns from 'node:dns';
import { syncBuiltinESMExports } from 'node:module';
import { Server, Socket } from 'node:net';

/**
 * Closes what Node's permission model leaves open in this version: connections, names of hosts, and signals to other
 * processes. Whoever finds a way around it through the insides of Node has the rights of the account: see
 * docs/security.md.
 */
export function closeFence(capabilities: readonly string[], onRefused: (what: string) => void): void {
  if (!capabilities.includes('network')) closeNetwork(onRefused);
  if (!capabilities.includes('process')) closeProcesses(onRefused);
  syncBuiltinESMExports();
}

function closeNetwork(onRefused: (what: string) => void): void {
  const refuse = refusal('network', onRefused);
  for (const [target, names] of [
    [Socket.prototype, ['connect']],
    [Server.prototype, ['listen']],
    [dgram.Socket.prototype, ['bind', 'connect', 'send']],
    [dns.Resolver.prototype, methodsOf(dns.Resolver.prototype)],
    [dns.promises.Resolver.prototype, methodsOf(dns.promises.Resolver.prototype)],
    [dns, methodsOf(dns)],
    [dns.promises, methodsOf(dns.promises)],
  ] as const)
    for (const name of names) seal(target, name, refuse);
  for (const name of ['fetch', 'WebSocket', 'EventSource']) seal(globalThis, name, refuse);
}

function closeProcesses(onRefused: (what: string) => void): void {
  const refuse = refusal('process', onRefused);
  // Signals could end the server itself.
  for (const name of ['kill', '_kill', '_debugProcess', '_startProfilerIdleNotifier', 'setuid', 'setgid'])
    seal(process, name, refuse);
  for (const name of methodsOf(childProcess)) if (/^[a-z]/.test(name)) seal(childProcess, name, refuse);
}

const methodsOf = (target: object): string[] =>
  Object.getOwnPropertyNames(target).filter(
    (name) => name !== 'constructor' && typeof Reflect.get(target, name) === 'function' && !/^[A-Z]/.test(name),
  );

function refusal(capability: string, onRefused: (what: string) => void): () => never {
  return () => {
    onRefused(`the plugin was refused what needs the capability "${capability}"`);
    const remedy = `declare it in definePlugin, and let the configuration allow it: "allow: [${capability}]" below its name`;
    throw Object.assign(new Error(`this plugin does not have the capability "${capability}"; ${remedy}`), {
      code: 'ERR_ACCESS_DENIED',
    });
  };
}

function seal(target: object, name: string, value: unknown): void {
  if (!(name in target)) return;
  try {
    Object.defineProperty(target, name, { value, writable: false, configurable: false });
  } catch {
    // The exports of a built-in module that cannot be changed are those of one that the permission model closes.
  }
}
