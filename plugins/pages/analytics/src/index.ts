import { definePlugin } from '@sextant/core';
import { analytics, assetPages } from './page.ts';

export default definePlugin({
  name: 'page-analytics',
  pages: [analytics, ...assetPages],
});
