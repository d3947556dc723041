import { Repositories, path, repo, revision } from '@sextant/contracts';
import { definePlugin, defineTool } from '@sextant/core';
import { z } from 'zod';

export const fileLength = defineTool({
  name: 'file_length',
  title: 'Measure a file',
  description: 'Number of lines and characters of a file, and its longest line, at any revision.',
  // On /.api/mcp/all always; 'default' would add it to /.api/mcp.
  endpoints: [],
  // What it needs arrives in run; repositories are opened as the caller, so that nothing hidden can be read.
  needs: { repositories: Repositories },
  input: z.object({ repo, path, revision }),
  output: z.object({ lines: z.int(), characters: z.int(), longestLine: z.int() }),
  async run({ repo: name, path: file, revision: wanted }, { repositories }, { caller, signal }) {
    const repository = await repositories.open(caller, name);
    const commit = await repository.resolve(wanted, signal);
    const { text, lineStarts } = await repository.readText(commit, file, signal);
    const lengths = lineStarts.map((start, index) => (lineStarts[index + 1] ?? text.length) - start);
    return { lines: lineStarts.length, characters: text.length, longestLine: Math.max(0, ...lengths) };
  },
  toText: ({ lines, characters, longestLine }) =>
    `${lines} lines, ${characters} characters, the longest line has ${longestLine}`,
});

export default definePlugin({ name: 'tool-file-length', tools: [fileLength] });
