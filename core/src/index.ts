export { parseArguments } from './calls/arguments.ts';
export type { Call, NavigationLink, Progress } from './calls/call.ts';
export { CallRecorder } from './calls/call-record.ts';
export type { CallRecord } from './calls/call-record.ts';
export { deadlineOf, joinSignals, setDeadline, timeoutSignal } from './calls/deadline.ts';
export { defineCommand } from './surface/command.ts';
export type { Command, CommandDefinition, CommandIo } from './surface/command.ts';
export { ContributionError, all, contribute, point } from './surface/contribution.ts';
export type { Contribution, Point } from './surface/contribution.ts';
export { SextantError, diskFailures, errorCodes, isSextantError, messageOf, operatorReason } from './calls/errors.ts';
export type { ErrorCode, ErrorDetails } from './calls/errors.ts';
export { FairQueue } from './flow/fair-queue.ts';
export { defaultGuardLimits, guarded, runGuarded, toolsInFlight } from './calls/guard.ts';
export type { BoundedCall, GuardLimits, GuardedOutcome, GuardedWork, GuardedRun, Outcome } from './calls/guard.ts';
export { shortened } from './calls/shorten.ts';
export { hourly } from './flow/hourly.ts';
export { Hosts } from './plugins/hosts.ts';
export type { HostDescription } from './plugins/hosts.ts';
export { toJsonSchema, unlisted } from './surface/json-schema.ts';
export type { JsonSchema } from './surface/json-schema.ts';
export { Announcements } from './plugins/announcements.ts';
export { Rehearsals } from './plugins/rehearsals.ts';
export type { Rehearsal, Rehearse } from './plugins/rehearsals.ts';
export { Assembly, defaultLifecycleLimits, separateUnfit } from './plugins/lifecycle.ts';
export type { AssemblyOptions, ConfiguredPlugin, LifecycleLimits, Quarantined } from './plugins/lifecycle.ts';
export { silentLogger } from './plugins/logger.ts';
export type { Logger } from './plugins/logger.ts';
export { silentMetrics } from './plugins/metrics.ts';
export type {
  CounterMetric,
  GaugeMetric,
  HistogramMetric,
  MetricDefinition,
  MetricLabels,
  Metrics,
} from './plugins/metrics.ts';
export { inTime } from './flow/in-time.ts';
export { isOutOfDescriptors, mostDescriptors } from './flow/most-descriptors.ts';
export { currentMeter, metered } from './flow/processor-time.ts';
export type { ProcessorMeter } from './flow/processor-time.ts';
export { csvCell, csvLines } from './text/csv.ts';
export { cut } from './text/cut.ts';
export { escapeRegExp } from './text/escape-reg-exp.ts';
export { didYouMean, nearest } from './text/nearest.ts';
export { networkOf } from './text/network-of.ts';
export { definePage } from './surface/page.ts';
export type { Page, PageAccess, PageDefinition, PageLink } from './surface/page.ts';
export {
  capabilities,
  clockDiagnosis,
  complete,
  defineAuthenticator,
  definePlugin,
  isPlugin,
  needsOf,
  permissionsOf,
  pluginKind,
  pluginProblem,
  startsNothing,
} from './plugins/plugin.ts';
export { withinTime } from './flow/within-time.ts';
export type {
  Capability,
  ConfigCheck,
  ConfigMistake,
  Contributions,
  Diagnosis,
  DiagnosisContext,
  DiagnosisState,
  DataFile,
  DataFilePart,
  DataFileProblem,
  Plugin,
  PluginContext,
  PluginDefinition,
  Provider,
  Providers,
  ServiceFailure,
  ServiceProgress,
  ServiceStatus,
} from './plugins/plugin.ts';
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
} from './calls/policy.ts';
export type {
  Authenticator,
  AuthenticatorDefinition,
  Caller,
  CallerUser,
  Credentials,
  Permission,
  Scope,
} from './calls/policy.ts';
export { RefusalRecorder } from './calls/refusal.ts';
export type { Refusal } from './calls/refusal.ts';
export { Registry, aliasPrefix, builtInEndpoints } from './surface/registry.ts';
export type { ListedTool, RegistryOptions } from './surface/registry.ts';
export { definePrompt } from './surface/prompt.ts';
export type { Prompt, PromptDefinition } from './surface/prompt.ts';
export { defineResource } from './surface/resource.ts';
export type {
  Completion,
  Resource,
  ResourceContent,
  ResourceDefinition,
  ResourceVariables,
} from './surface/resource.ts';
export { defineReport } from './surface/report.ts';
export type { Report, ReportDefinition, ReportRow } from './surface/report.ts';
export { Retries, backoffMs } from './flow/retries.ts';
export { ServerSettings } from './plugins/server-settings.ts';
export { ServerState } from './plugins/server-state.ts';
export type { LoggedError, PluginOrigin, PluginState, ProcessState, SlowCall } from './plugins/server-state.ts';
export { Services } from './plugins/services.ts';
export { StartOrderError, closureOf, isMissing, startOrder } from './plugins/start-order.ts';
export { beginningWithin, fitsSize, textSize } from './text/text-size.ts';
export { textTable } from './text/text-table.ts';
export { remoteOf } from './plugins/remote.ts';
export type { Remote, RemoteMember, RemoteOf } from './plugins/remote.ts';
export { thisPlugin } from './plugins/this-plugin.ts';
export type { ThisPlugin } from './plugins/this-plugin.ts';
export { optional, token } from './plugins/token.ts';
export type { Needs, Resolved, Token } from './plugins/token.ts';
export { Toolbox } from './surface/toolbox.ts';
export type { ToolInfo, ToolboxAnswer } from './surface/toolbox.ts';
export { activities, defineTool, steps } from './surface/tool.ts';
export type { Activity, Cuts, EndpointName, Guidance, Placement, Tool, ToolDefinition } from './surface/tool.ts';
export { Turn } from './flow/turn.ts';
export { unlessAborted } from './flow/unless-aborted.ts';
export { defineWrapper } from './plugins/wrapper.ts';
export type { Wrapper, WrapperDefinition } from './plugins/wrapper.ts';
export { fromOneLine, oneLine, visible } from './text/visible.ts';
