export { CallerSigner, CallerVerifier } from './claims.ts';
export type { Claims } from './claims.ts';
export { MalformedAnswer, NodeClient, NodeRefusal } from './client.ts';
export type { CallOptions } from './client.ts';
export type { AnswerOf, ArgumentsOf, Method, Methods } from './method.ts';
export { ownersOf } from './rendezvous.ts';
export { NodeServer } from './server.ts';
export type { Handlers, ServedCall } from './server.ts';
export { protocolVersion } from './wire.ts';
