import { definePlugin } from '@sextant/core';

export default definePlugin({ name: 'page-analytics' });
