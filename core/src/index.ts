export { parseArguments } from './arguments.ts';
export type { Call, NavigationLink, Progress } from './call.ts';
export { CallRecorder } from './call-record.ts';
export type { CallRecord } from './call-record.ts';
export { defineCommand } from './command.ts';
export type { Command, CommandDefinition, CommandIo } from './command.ts';
export { all, contribute, point } from './contribution.ts';
export type { Contribution, Point } from './contribution.ts';
export { SextantError, diskFailures, errorCodes, isSextantError, messageOf, operatorReason } from './errors.ts';
export type { ErrorCode, ErrorDetails } from './errors.ts';
export { FairQueue } from './fair-queue.ts';
export { defaultGuardLimits, runGuarded } from './guard.ts';
export type { GuardLimits, GuardedRun, Outcome } from './guard.ts';
export { hourly } from './hourly.ts';
export { toJsonSchema } from './json-schema.ts';
export type { JsonSchema } from './json-schema.ts';
export { Assembly, defaultLifecycleLimits, separateUnfit } from './lifecycle.ts';
export type { AssemblyOptions, ConfiguredPlugin, LifecycleLimits, Quarantined } from './lifecycle.ts';
export { silentLogger } from './logger.ts';
export type { Logger } from './logger.ts';
export { mostDescriptors } from './most-descriptors.ts';
export { didYouMean, nearest } from './nearest.ts';
export { networkOf } from './network-of.ts';
export { definePage } from './page.ts';
export type { Page, PageAccess, PageDefinition, PageLink } from './page.ts';
export { defineAuthenticator, definePlugin, isPlugin, needsOf, pluginProblem } from './plugin.ts';
export { withinTime } from './within-time.ts';
export type {
  Plugin,
  PluginContext,
  PluginDefinition,
  Provider,
  Providers,
  ServiceFailure,
  ServiceProgress,
  ServiceStatus,
} from './plugin.ts';
export {
  Principals,
  builtInRoles,
  hasPermission,
  hasScope,
  mcpAccess,
  requireMcpAccess,
  requireScope,
  scopes,
  siteAdministration,
} from './policy.ts';
export type {
  Authenticator,
  AuthenticatorDefinition,
  Caller,
  CallerUser,
  Credentials,
  Permission,
  Scope,
} from './policy.ts';
export { RefusalRecorder } from './refusal.ts';
export type { Refusal } from './refusal.ts';
export { Registry, aliasPrefix, builtInEndpoints } from './registry.ts';
export type { ListedTool, RegistryOptions } from './registry.ts';
export { defineReport } from './report.ts';
export type { Report, ReportDefinition, ReportRow } from './report.ts';
export { Retries, backoffMs } from './retries.ts';
export { ServerSettings } from './server-settings.ts';
export { ServerState } from './server-state.ts';
export type { PluginState } from './server-state.ts';
export { Services } from './services.ts';
export { StartOrderError, closureOf, isMissing, startOrder } from './start-order.ts';
export { textTable } from './text-table.ts';
export { optional, token } from './token.ts';
export type { Needs, Resolved, Token } from './token.ts';
export { Toolbox } from './toolbox.ts';
export type { ToolInfo, ToolboxAnswer } from './toolbox.ts';
export { defineTool } from './tool.ts';
export type { EndpointName, Placement, Tool, ToolDefinition } from './tool.ts';
export { Turn } from './turn.ts';
export { unlessAborted } from './unless-aborted.ts';
export { fromOneLine, oneLine, visible } from './visible.ts';
