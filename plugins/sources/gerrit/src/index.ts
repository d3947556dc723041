import { SourceTypes, defineSourceType } from '@sextant/contracts';
import { contribute, definePlugin } from '@sextant/core';
import { gerritConfig } from './config.ts';
import { GerritSource } from './gerrit-source.ts';

const gerrit = defineSourceType({
  type: 'gerrit',
  config: gerritConfig,
  open: (config, context) => new GerritSource(config, context),
});

export default definePlugin({ name: 'source-gerrit', contributions: [contribute(SourceTypes, gerrit)] });
