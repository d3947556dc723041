import { SextantError, Toolbox, builtInEndpoints, didYouMean, runGuarded } from '@sextant/core';
import type {
  Call,
  GuardLimits,
  ListedTool,
  Needs,
  Registry,
  Resolved,
  Services,
  ToolboxAnswer,
  ToolInfo,
} from '@sextant/core';

/** Where the tools of one configuration are found, with their services and limits. */
export interface ToolSource {
  readonly registry: Registry;
  readonly limits: GuardLimits;
  servicesOf(tool: { readonly needs: Needs }): Resolved<Needs>;
}

/** Gives the toolbox among `services` the tools of a configuration that comes into force. */
export function fillToolbox(services: Services, source: ToolSource): void {
  const toolbox = services.has(Toolbox) && services.resolve({ toolbox: Toolbox }).toolbox;
  if (toolbox instanceof HostToolbox) toolbox.fill(source);
}

/** Given to plugins before their tools are there; the newest configuration that came into force fills it. */
export class HostToolbox implements Toolbox {
  #source: ToolSource | undefined;
  #tools: ReadonlyMap<string, ListedTool> = new Map();

  get tools(): readonly ToolInfo[] {
    return [...this.#tools.values()].map(({ tool }) => tool);
  }

  fill(source: ToolSource): void {
    this.#source = source;
    const readOnly = (source.registry.list(builtInEndpoints.all) ?? []).filter(({ tool }) => tool.isReadOnly);
    this.#tools = new Map(readOnly.map((listed) => [listed.name, listed]));
  }

  async run(name: string, input: unknown, call: Call): Promise<ToolboxAnswer> {
    const tool = this.#tools.get(name)?.tool;
    if (!tool || !this.#source) throw new SextantError('not_found', this.#unknown(name));
    const { limits } = this.#source;
    const outcome = await runGuarded({ tool, input, services: this.#source.servicesOf(tool), call, limits });
    if (!outcome.ok) throw outcome.error;
    return { structured: outcome.structured, text: outcome.text };
  }

  #unknown(name: string): string {
    const names = [...this.#tools.keys()];
    return `there is no tool "${name.slice(0, 100)}".${didYouMean(name, names)} There are ${names.join(', ') || 'none'}.`;
  }
}
