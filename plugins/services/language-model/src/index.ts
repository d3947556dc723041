import { LanguageModel, Links, Repositories, Researcher } from '@sextant/contracts';
import { Toolbox, definePlugin } from '@sextant/core';
import { config } from './config.ts';

export default definePlugin({
  name: 'service-language-model',
  config,
  topLevel: ['languageModel'],
  needs: { researcher: Researcher, repositories: Repositories, toolbox: Toolbox, links: Links },
  provides: { model: LanguageModel },
  async start({ languageModel: settings }, { researcher, ...services }, { externalURL, log }) {
    if (!settings) return { model: { value: researcher } };
    // Most servers have no model, and the libraries that speak to one are a tenth of what a start loads.
    const [{ ModelResearcher }, { modelOf }] = await Promise.all([
      import('./model-researcher.ts'),
      import('./provider.ts'),
    ]);
    const model = modelOf(settings);
    return { model: { value: new ModelResearcher({ ...services, researcher, model, settings, externalURL, log }) } };
  },
});
