import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { isPlugin } from '@sextant/core';
import type { Plugin } from '@sextant/core';
import { preset, presetURL } from '@sextant/preset';

/** The plugins that run by default, all or those of these names, as values: nothing is started. */
export async function loadPreset(only?: readonly string[]): Promise<Plugin[]> {
  const { resolve } = createRequire(presetURL);
  const wanted = preset.filter((name) => !only || only.includes(name.replace('@sextant/', '')));
  const modules = wanted.map((name) => import(pathToFileURL(resolve(name)).href) as Promise<{ default: unknown }>);
  return (await Promise.all(modules)).map(({ default: plugin }, index) => {
    if (!isPlugin(plugin)) throw new Error(`${wanted[index]} exports no plugin`);
    return plugin;
  });
}
