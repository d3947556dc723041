import { definePage, definePlugin } from '@sextant/core';
import { assetResponse } from '@sextant/library-ui';
import { searchModule } from './assets.ts';
import { searchPage } from './page.ts';
import { suggestPage } from './suggest.ts';

const script = definePage({
  name: 'search-script',
  method: 'GET',
  path: searchModule.path,
  access: 'anyone',
  needs: {},
  respond: async () => assetResponse(searchModule),
});

export default definePlugin({ name: 'page-search', pages: [searchPage, suggestPage, script] });
