import { definePlugin } from '@sextant/core';
import { api } from './api.ts';
import { pages } from './pages.ts';

export default definePlugin({ name: 'page-oauth-clients', pages: [...pages, ...api] });
