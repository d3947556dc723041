import { SourceTypes, defineSourceType } from '@sextant/contracts';
import { contribute, definePlugin } from '@sextant/core';
import { githubConfig } from './config.ts';
import { GitHubSource } from './github-source.ts';

const github = defineSourceType({
  type: 'github',
  config: githubConfig,
  open: (config, context) => new GitHubSource(config, context),
});

export default definePlugin({ name: 'source-github', contributions: [contribute(SourceTypes, github)] });
