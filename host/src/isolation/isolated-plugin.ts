import { SextantError, definePlugin, optional, remoteOf, token } from '@sextant/core';
import type { JsonSchema, Needs, Plugin, PluginContext, Resolved, Token } from '@sextant/core';
import { z } from 'zod';
import { isolatedParts } from './isolated-parts.ts';
import { SpareProcess, loadProcess } from './loaded-process.ts';
import type { DescribedNeeds, Description } from './messages.ts';
import { plainSchema } from './plain-schema.ts';
import { RunningPlugin, processToStart } from './running-plugin.ts';
import type { Isolation } from './running-plugin.ts';

const nothingMore = { capabilities: [], writable: [] } as const;

/**
 * Loads a plugin in a process of its own that may do nothing more, and makes of what it says of itself a plugin for the
 * registry. That process is started later if the plugin needs no more. Throws where it has what cannot run there.
 */
export async function loadIsolated(
  isolation: Isolation,
  log: PluginContext['log'],
): Promise<{ plugin: Plugin; described: Description }> {
  const { described, process } = await loadProcess({ ...isolation, ...nothingMore }, log);
  const isEnough = described.capabilities.length === 0 && !described.usesDataFolder;
  try {
    const plugin = isolatedPlugin(described, isolation, isEnough ? new SpareProcess(process) : undefined);
    if (!isEnough) process.kill('it was described');
    return { plugin, described };
  } catch (error) {
    process.kill('it cannot be started');
    throw error;
  }
}

const preparations = new WeakMap<Plugin, (context: PluginContext) => Promise<void>>();

/** Loads isolated plugins side by side, so that each one's start waits for none of them. What fails is told by that start. */
export async function prepareIsolated(
  plugins: readonly Plugin[],
  contextOf: (plugin: Plugin) => PluginContext,
): Promise<void> {
  await Promise.allSettled(plugins.map((plugin) => preparations.get(plugin)?.(contextOf(plugin))));
}

/** A plugin for the registry that runs in a process of its own. Throws where it has what cannot run there. */
function isolatedPlugin(described: Description, isolation: Isolation, first: SpareProcess | undefined): Plugin {
  const { name } = described;
  requireFit(described, isolation);
  const running = token<RunningPlugin>(`process-of-${name}`);
  const neededByStart = outsideNeeds(described.needs, described);
  // A prompt is asked for without services: it finds the process that was started last.
  const latest: { plugin?: RunningPlugin } = {};
  let spare = first;
  const plugin = definePlugin({
    name,
    config: configOf(described.configSchema),
    needs: Object.assign({}, ...everyNeeds(described)),
    provides: { process: running },
    capabilities: described.capabilities,
    permissions: described.permissions,
    ...isolatedParts(described, {
      running,
      needsOf: (needs) => ({ ...neededByStart, ...outsideNeeds(needs, described) }),
      latest: () => latest.plugin,
    }),
    async start(config, services, context) {
      requireRemote(described, services);
      const plugin = new RunningPlugin({
        described,
        isolation,
        config,
        context,
        services: pick(services, neededByStart),
        takeSpare: () => spare?.take(),
      });
      try {
        await plugin.start();
      } catch (error) {
        // Who is not started is not tried again.
        await plugin.close();
        throw error;
      }
      latest.plugin = plugin;
      return {
        process: {
          value: plugin,
          ready: () => plugin.ready(),
          status: () => plugin.status(),
          close: () => plugin.close(),
        },
      };
    },
  });
  preparations.set(plugin, async (context) => {
    if (spare?.isThere === true) return;
    spare = new SpareProcess(await processToStart({ described, isolation, context, takeSpare: () => undefined }));
  });
  return plugin;
}

/** The host's own check of settings. The plugin applies its schema itself when it starts. */
function configOf(schema: JsonSchema): z.ZodObject {
  const read = plainSchema(schema);
  return read instanceof z.ZodObject ? read : z.looseObject({});
}

/** Of needs those that the server serves, by the names of their tokens. */
function outsideNeeds(needs: DescribedNeeds, { provides }: Description): Record<string, Token<unknown>> {
  const outside = Object.values(needs).filter(({ name, isOwn }) => !isOwn && !provides.includes(name));
  return Object.fromEntries(
    outside.map(({ name, isOptional }) => [name, isOptional ? optional(token(name)) : token(name)]),
  );
}

/** Of its start, and of each of its parts. */
const everyNeeds = (described: Description): Record<string, Token<unknown>>[] =>
  needsByPart(described).map(({ needs }) => outsideNeeds(needs, described));

const pick = (services: Resolved<Needs>, needs: Needs): Resolved<Needs> =>
  Object.fromEntries(Object.keys(needs).map((name) => [name, services[name]]));

function requireFit(described: Description, { allowed }: Isolation): void {
  const { name, unfit, capabilities } = described;
  const refuse = (why: string): never => {
    throw new SextantError('invalid_argument', `the plugin ${name} ${why}`);
  };
  if (unfit.length > 0)
    refuse(
      `cannot run in a process of its own: ${unfit.join('; ')}. If you trust it like the server, say "trusted: true" below its name`,
    );
  const needsModel = everyNeeds(described).some((needs) => Object.hasOwn(needs, 'language-model'));
  if (needsModel && !capabilities.includes('language-model'))
    refuse('needs the language model and does not declare the capability "language-model"');
  const missing = capabilities.filter((capability) => !allowed.includes(capability));
  if (missing.length > 0)
    refuse(
      `wants ${missing.join(', ')}, which the configuration does not allow; "allow: [${missing.join(', ')}]" below its name does`,
    );
}

/** Throws for a service of which nothing may leave the server. */
function requireRemote(described: Description, services: Resolved<Needs>): void {
  for (const { what, needs } of needsByPart(described))
    for (const name of Object.keys(outsideNeeds(needs, described)))
      if (services[name] !== undefined && !remoteOf(services[name]))
        throw new Error(
          `${what} needs "${name}", which only a plugin in the server's process can have; if you trust it like the server, say "trusted: true" below its name`,
        );
}

function needsByPart({
  needs,
  tools,
  reports,
  pages,
  resources,
}: Description): { what: string; needs: DescribedNeeds }[] {
  const parts = Object.entries({ tool: tools, report: reports, page: pages, resource: resources });
  return [
    { what: 'its start', needs },
    ...parts.flatMap(([kind, list]) => list.map((part) => ({ what: `the ${kind} ${part.name}`, needs: part.needs }))),
  ];
}
