import { SourceTypes, defineSourceType } from '@sextant/contracts';
import { contribute, definePlugin } from '@sextant/core';
import { CloudSource } from './cloud/cloud-source.ts';
import { bitbucketConfig, isCloud } from './config.ts';
import { DataCenterSource } from './data-center/data-center-source.ts';

const bitbucket = defineSourceType({
  type: 'bitbucket',
  config: bitbucketConfig,
  open: (config, context) =>
    isCloud(config) ? new CloudSource(config, context) : new DataCenterSource(config, context),
});

export default definePlugin({ name: 'source-bitbucket', contributions: [contribute(SourceTypes, bitbucket)] });
