export { callerOf } from './caller-of.ts';
export type { CallerOptions } from './caller-of.ts';
export { csvCells } from './csv-cells.ts';
export { runTool } from './run-tool.ts';
export type { RunToolOptions, ToolAnswer } from './run-tool.ts';
export { startPlugins } from './start-plugins.ts';
export type { StartedPlugins } from './start-plugins.ts';
