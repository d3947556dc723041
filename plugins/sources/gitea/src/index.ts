import { SourceTypes, defineSourceType } from '@sextant/contracts';
import { contribute, definePlugin } from '@sextant/core';
import { giteaConfig } from './config.ts';
import { GiteaSource } from './gitea-source.ts';

const gitea = defineSourceType({
  type: 'gitea',
  config: giteaConfig,
  open: (config, context) => new GiteaSource(config, context),
});

export default definePlugin({ name: 'source-gitea', contributions: [contribute(SourceTypes, gitea)] });
