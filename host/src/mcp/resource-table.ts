import { SextantError, didYouMean, guarded } from '@sextant/core';
import type { Call, Completion, GuardedOutcome, Resource, ResourceContent, ResourceVariables } from '@sextant/core';
import { RpcError, requireFirstPage, rpcCodes } from './errors.ts';
import { MostNamed } from '../http/most-named.ts';
import { callOf, unlessRightsLost } from './exchange.ts';
import type { Exchange } from './exchange.ts';
import type { Params } from './messages/json-rpc.ts';
import type { ToolTableOptions } from './tool-table.ts';

/** Most bytes of one resource, whatever a plugin gives. */
const mostBytes = 1024 * 1024;
/** Most values that a completion may have, by the protocol. */
const mostValues = 100;

/** What both lists tell of a resource or template besides its URI. */
interface WireResource {
  name: string;
  title: string;
  description: string;
  mimeType?: string;
  [key: string]: unknown;
}

export interface ResourceList {
  resources: (WireResource & { uri: string })[];
  [key: string]: unknown;
}

export interface TemplateList {
  resourceTemplates: (WireResource & { uriTemplate: string })[];
  [key: string]: unknown;
}

type WireContent = { uri: string; mimeType: string } & ({ text: string } | { blob: string });

export interface ReadResult {
  contents: WireContent[];
  [key: string]: unknown;
}

interface Found {
  readonly resource: Resource;
  readonly variables: ResourceVariables;
}

/** The resources of one endpoint in one generation. */
export class ResourceTable {
  readonly #options: ToolTableOptions;
  readonly #resources: readonly Resource[];

  constructor(options: ToolTableOptions) {
    this.#options = options;
    this.#resources = options.generation.registry.resources(options.endpoint);
  }

  get isEmpty(): boolean {
    return this.#resources.length === 0;
  }

  /** Answers `resources/list`: those that are no templates. */
  list(params: Params | undefined): ResourceList {
    requireFirstPage('resources/list', params);
    const single = this.#resources.filter(({ variables }) => variables.length === 0);
    return { resources: single.map((resource) => ({ uri: resource.uri, ...wireOf(resource) })) };
  }

  /** Answers `resources/templates/list`. */
  templates(params: Params | undefined): TemplateList {
    requireFirstPage('resources/templates/list', params);
    const templates = this.#resources.filter(({ variables }) => variables.length > 0);
    return { resourceTemplates: templates.map((resource) => ({ uriTemplate: resource.uri, ...wireOf(resource) })) };
  }

  /** Answers `resources/read`. What a caller may not read is told in the same words as what is not there. */
  async read(params: Params | undefined, exchange: Exchange): Promise<ReadResult> {
    const uri = params?.['uri'];
    if (typeof uri !== 'string') throw new RpcError(rpcCodes.invalidParams, 'resources/read needs "uri", a text');
    const { endpoint, generation, log } = this.#options;
    const repositories = new MostNamed();
    const call = { ...callOf(exchange, { endpoint, log }), noteRepository: (name: string) => repositories.add(name) };
    const started = performance.now();
    let files: readonly string[] = [];
    const work = { name: 'resources/read', call, limits: generation.limits };
    const ended = await guarded(work, async (bounded) => {
      const { resource, variables } = this.#find(uri);
      const services = generation.servicesOf(resource);
      const content = await bounded.run(resource.read(variables, services, bounded.call));
      files = resource.filesOf(variables);
      return wireContent(uri, content);
    });
    const outcome = await unlessRightsLost(ended, exchange);
    this.#record(call, outcome, { files, repository: repositories.name, milliseconds: performance.now() - started });
    if (outcome.ok) return { contents: [outcome.value] };
    throw errorOf(outcome.error, uri);
  }

  /** Values for a variable of a template. None where the caller may not read what they would be of. */
  async complete(uri: unknown, completion: Completion, exchange: Exchange): Promise<readonly string[]> {
    const resource = this.#resources.find((one) => one.uri === uri);
    if (!resource?.variables.includes(completion.variable))
      throw new RpcError(rpcCodes.invalidParams, 'there is no resource template with this URI and argument');
    const { endpoint, generation, log } = this.#options;
    const call = callOf(exchange, { endpoint, log });
    const ended = await guarded({ name: 'completion/complete', call, limits: generation.limits }, (bounded) => {
      return bounded.run(resource.complete(completion, generation.servicesOf(resource), bounded.call));
    });
    const outcome = await unlessRightsLost(ended, exchange);
    if (outcome.ok) return outcome.value.slice(0, mostValues);
    if (outcome.error.code === 'not_found' || outcome.error.code === 'invalid_argument') return [];
    throw errorOf(outcome.error, resource.uri);
  }

  #find(uri: string): Found {
    for (const resource of this.#resources) {
      const variables = resource.match(uri);
      if (variables) return { resource, variables };
    }
    const known = this.#resources.map((resource) => resource.uri);
    throw new SextantError(
      'not_found',
      `there is no resource "${uri.slice(0, 200)}".${didYouMean(uri, known)} ${this.#options.endpoint} has ${known.join(', ') || 'none'}.`,
    );
  }

  #record(
    call: Call,
    outcome: GuardedOutcome<unknown>,
    {
      files,
      repository,
      milliseconds,
    }: { files: readonly string[]; repository: string | undefined; milliseconds: number },
  ): void {
    const { endpoint, generation, log, telemetry } = this.#options;
    const name = 'resources/read';
    const result = outcome.ok ? 'ok' : outcome.error.code;
    const { caller, clientName } = call;
    telemetry.finish({ tool: name, endpoint, outcome: result, seconds: milliseconds / 1000 });
    generation.recorder?.record({
      kind: 'tool',
      name,
      activity: 'reading',
      endpoint,
      userId: caller.user.id,
      clientName,
      files: outcome.ok ? files : [],
      repository,
      startedAt: Date.now() - milliseconds,
      milliseconds,
      outcome: result,
      credits: 0,
    });
    log.info({ tool: name, endpoint, user: caller.user.id, client: clientName, outcome: result }, 'call');
  }
}

const wireOf = ({ name, title, description, mimeType }: Resource): WireResource => ({
  name,
  title,
  description,
  ...(mimeType !== undefined && { mimeType }),
});

function wireContent(uri: string, content: ResourceContent): WireContent {
  const { mimeType } = content;
  const bytes = 'text' in content ? Buffer.byteLength(content.text) : content.bytes.length;
  if (bytes > mostBytes)
    throw new SextantError('too_large', `the resource has ${bytes} bytes; at most ${mostBytes} bytes can be read`);
  if ('text' in content) return { uri, mimeType, text: content.text };
  return { uri, mimeType, blob: Buffer.from(content.bytes).toString('base64') };
}

function errorOf({ code, message }: SextantError, uri: string): RpcError {
  if (code === 'not_found') return new RpcError(rpcCodes.resourceNotFound, message, { data: { uri } });
  return new RpcError(code === 'invalid_argument' ? rpcCodes.invalidParams : rpcCodes.refused, message);
}
