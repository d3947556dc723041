import type { Audit, AuditEvent, Directory } from '@sextant/contracts';
import type { KoaContextWithOIDC, Provider, errors } from 'oidc-provider';

type Context = KoaContextWithOIDC;
type Refused = errors.OIDCProviderError;

/** A device that asks whether its person is done yet is no failure (RFC 8628 section 3.5). */
const waiting = /^(authorization_pending|slow_down)$/;
/** Said on the consent page, and recorded there with who said it. */
const said = /^access_denied$/;

export interface ProtocolRecordOptions {
  audit: Audit;
  directory: Directory;
}

/** Records what the library of the protocol grants and refuses, in the order in which it does. */
export function recordProtocol(provider: Provider, options: ProtocolRecordOptions): void {
  let last = Promise.resolve();
  const record = (context: Context, event: Recorded): Promise<void> => {
    // The name of a user comes from the database, which answers in any order.
    const next = actorIn(context, options.directory);
    last = last.then(async () => options.audit.record(eventOf(context, { ...event, actor: await next })));
    return last;
  };
  const refuse =
    (action: string) =>
    (context: Context, { error, error_description: description = '' }: Refused): void => {
      if (waiting.test(error) || (action === 'authorization.refused' && said.test(error))) return;
      void record(context, {
        action,
        outcome: 'failure',
        detail: [...grantTypeOf(context), error, description].join(': '),
      });
    };
  provider.on('authorization.error', refuse('authorization.refused'));
  provider.on('grant.error', refuse('token.refused'));
  provider.on('introspection.error', refuse('token.refused'));
  provider.on('revocation.error', refuse('token.refused'));
  provider.on('grant.success', (context) => {
    void record(context, {
      action: 'token.issued',
      outcome: 'success',
      detail: grantTypeOf(context).join(''),
    });
  });
  provider.on('grant.revoked', (context) => {
    // By the client it is told of below.
    if (context.oidc.route === 'token')
      void record(context, {
        action: 'authorization.revoked',
        outcome: 'success',
        detail: 'a code or refresh token was used twice',
      });
  });
  provider.use(async (context: Context, next: () => Promise<unknown>) => {
    await next();
    if (!isRouted(context)) return;
    const { client, entities, route } = context.oidc;
    const token = entities.AccessToken ?? entities.RefreshToken;
    if (route !== 'revocation' || !token || token.clientId !== client?.clientId) return;
    await record(context, { action: 'token.revoked', outcome: 'success', detail: 'by its client' });
  });
}

/** Whether the library knows the path: it has a context of its own for no other. */
export const isRouted = (context: { oidc?: object }): boolean => context.oidc !== undefined;

type Recorded = Pick<AuditEvent, 'action' | 'outcome' | 'detail'>;

function eventOf({ oidc, ip }: Context, { actor, ...event }: Recorded & { actor: AuditEvent['actor'] }): AuditEvent {
  const named = oidc.client?.clientId ?? oidc.params?.['client_id'];
  return {
    ...event,
    ...(actor && { actor }),
    ...(typeof named === 'string' && { client: named }),
    ...(ip !== '' && { address: ip }),
  };
}

async function actorIn({ oidc }: Context, directory: Directory): Promise<AuditEvent['actor']> {
  const { AccessToken, RefreshToken, AuthorizationCode, DeviceCode } = oidc.entities;
  const accountId = (AccessToken ?? RefreshToken ?? AuthorizationCode ?? DeviceCode)?.accountId;
  return accountId === undefined ? undefined : actorOf(directory, Number(accountId)).catch(() => undefined);
}

async function actorOf(directory: Directory, userId: number): Promise<AuditEvent['actor']> {
  const caller = await directory.callerFor({ userId, scopes: [], credential: 'oauth' });
  return caller && { id: caller.user.id, name: caller.user.name };
}

function grantTypeOf({ oidc }: Context): string[] {
  const type = oidc.params?.['grant_type'];
  return typeof type === 'string' ? [type.replace(/^.*:/, '').slice(0, 40)] : [];
}
