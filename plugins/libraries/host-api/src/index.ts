export { lastDue } from './moments.ts';
export { RenewedToken, fixedToken } from './credential.ts';
export type { Credential, TokenForATime } from './credential.ts';
export { HostApi } from './host-api.ts';
export type { HostAnswer, HostApiOptions, HostRequest } from './host-api.ts';
export { RequestBudget } from './request-budget.ts';
export { isSignedBy } from './signature.ts';
