import { definePlugin } from '@sextant/core';
import { pages } from './pages.ts';

export default definePlugin({ name: 'page-deepsearch', pages });
