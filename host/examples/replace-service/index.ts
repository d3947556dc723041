import { Credits } from '@sextant/contracts';
import { definePlugin } from '@sextant/core';

/**
 * Takes the place of the built-in credits: nothing is limited, and what calls would cost shows in `/metrics`. In the
 * configuration: `plugins: { service-credits: false, ./free-credits: { trusted: true } }`
 */
export default definePlugin({
  name: 'service-free-credits',
  provides: { credits: Credits },
  async start(_config, _services, { metrics }) {
    const total = metrics.counter({ name: 'credits_total', help: 'Credits of tools', labels: ['tool'] });
    const value: Credits = {
      reserve: async (_call, { tool, credits }) => ({
        settle: async () => total.add(credits, { tool }),
        [Symbol.asyncDispose]: async () => {},
      }),
      buckets: async () => [],
    };
    return { credits: { value } };
  },
});
