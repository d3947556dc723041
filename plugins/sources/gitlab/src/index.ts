import { SourceTypes, defineSourceType } from '@sextant/contracts';
import { contribute, definePlugin } from '@sextant/core';
import { gitlabConfig } from './config.ts';
import { GitLabSource } from './gitlab-source.ts';

const gitlab = defineSourceType({
  type: 'gitlab',
  config: gitlabConfig,
  open: (config, context) => new GitLabSource(config, context),
});

export default definePlugin({ name: 'source-gitlab', contributions: [contribute(SourceTypes, gitlab)] });
