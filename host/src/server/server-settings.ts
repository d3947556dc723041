import { ServerSettings, ServerState, Toolbox, builtInEndpoints, definePlugin } from '@sextant/core';
import type { ConfiguredPlugin } from '@sextant/core';
import { z } from 'zod';
import type { HostSettings } from './settings.ts';
import { HostState } from './server-state.ts';
import { HostToolbox } from './toolbox.ts';

/** A plugin, so that what needs the settings starts after them and starts anew when they change, as with any service. */
const plugin = definePlugin({
  name: 'host',
  config: z.object({
    isMcpEnabled: z.boolean(),
    endpoints: z.array(z.string()),
    isClientRegistrationEnabled: z.boolean(),
  }),
  provides: { settings: ServerSettings, toolbox: Toolbox, state: ServerState },
  start: async (config, _services, { dataFolder }) => ({
    settings: { value: config },
    toolbox: { value: new HostToolbox() },
    state: { value: new HostState(dataFolder) },
  }),
});

/** What plugins may know of the settings of the host. */
export const serverSettings = (settings: HostSettings): ConfiguredPlugin => ({
  plugin,
  config: {
    isMcpEnabled: settings['mcp.enabled'],
    endpoints: [...Object.values(builtInEndpoints), ...Object.keys(settings.endpoints)],
    isClientRegistrationEnabled: settings['auth.idpDynamicClientRegistrationEnabled'],
  },
  isOptional: false,
});
