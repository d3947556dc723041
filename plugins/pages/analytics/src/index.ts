import { definePlugin } from '@sextant/core';
import { analytics, stylesheetPage } from './page.ts';

export default definePlugin({
  name: 'page-analytics',
  pages: [analytics, stylesheetPage],
});
