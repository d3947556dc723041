import { startsNothing } from '@sextant/core';
import type { Needs, Plugin } from '@sextant/core';
import { z } from 'zod';
import { description } from '../messages.ts';
import type { DescribedNeeds, Description } from '../messages.ts';

/** What the server may know of a plugin. Throws where it is not as an isolated plugin must be. */
export function describe(plugin: Plugin): Description {
  const { name, capabilities, config, permissions, needs, provides } = plugin;
  const parsed = description.safeParse({
    name,
    capabilities,
    permissions,
    configSchema: inputSchemaOf(config),
    unfit: whyUnfit(plugin),
    needs: describedNeeds(needs),
    usesDataFolder: !startsNothing(plugin) || partsOf(plugin).some(({ needs: own }) => hasItself(own)),
    provides: Object.values(provides).map((token) => token.name),
    ...describedParts(plugin),
  });
  if (parsed.success) return parsed.data;
  throw new Error(`it cannot run in a process of its own: ${z.prettifyError(parsed.error)}`);
}

/** What only a plugin in the server's process can have, with the reason. */
function whyUnfit(plugin: Plugin): string[] {
  const isCollected = Object.values(plugin.needs).some((need) => need.isCollected);
  const reasons = {
    'an authenticator sees the credentials of every request and says who is who': plugin.authenticators.length > 0,
    "a command runs in the operator's terminal, with the operator's rights": plugin.commands.length > 0,
    'a wrapper sees what every caller asks of a service, and decides what they are answered':
      plugin.wrappers.length > 0,
    "a contribution is used by other plugins, in the server's process": plugin.contributions.length > 0,
    "what other plugins contribute stays in the server's process": isCollected,
    "a backup copies the files of its dataFiles in the server's process": plugin.dataFiles.length > 0,
    'keys at the top of the configuration are not its own': plugin.topLevel.length > 0,
    'the browser shows no session with a form of such a page, so only a page for anyone may take POST or DELETE':
      plugin.pages.some(({ method, access }) => method !== 'GET' && access !== 'anyone'),
    'a page that reads its body in pieces needs the connection': plugin.pages.some((page) => page.readsBodyInPieces),
  };
  return Object.entries(reasons).flatMap(([reason, holds]) => (holds ? [reason] : []));
}

const describedParts = ({ tools, reports, pages, resources, prompts }: Plugin): object => ({
  tools: tools.map((tool) => ({ ...tool, needs: describedNeeds(tool.needs) })),
  reports: reports.map((report) => ({
    ...report,
    inputSchema: inputSchemaOf(report.query),
    needs: describedNeeds(report.needs),
  })),
  pages: pages.map((page) => ({ ...page, needs: describedNeeds(page.needs) })),
  resources: resources.map((resource) => ({ ...resource, needs: describedNeeds(resource.needs) })),
  prompts,
});

const partsOf = ({ tools, reports, pages, resources }: Plugin): readonly { readonly needs: Needs }[] => [
  ...tools,
  ...reports,
  ...pages,
  ...resources,
];

const hasItself = (needs: Needs): boolean => Object.values(needs).some(({ isOwn }) => isOwn);

const describedNeeds = (needs: Needs): DescribedNeeds =>
  Object.fromEntries(
    Object.entries(needs).map(([key, { name, isOptional, isOwn }]) => [
      key,
      { name, isOptional: isOptional === true, isOwn: isOwn === true },
    ]),
  );

const inputSchemaOf = (schema: z.ZodType): object =>
  z.toJSONSchema(schema, { io: 'input', reused: 'inline', unrepresentable: 'any' });
