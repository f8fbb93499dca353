import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';

/** How to start a tool. */
export interface Started {
  readonly command: string;
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
}

/** What a tool's MCP server offered, and answered to some calls. */
export interface McpAnswers {
  readonly tools: readonly { readonly name: string; readonly properties: readonly string[] }[];
  readonly calls: readonly { readonly call: McpCall; readonly answer: unknown }[];
}

/** A tool of the server, and what to pass it. */
export interface McpCall {
  readonly name: string;
  readonly arguments: Readonly<Record<string, unknown>>;
}

const lex = (query: string): readonly object[] => [{ type: 'lex', query }];

/** Calls that load no model, whatever the release: it answers those of tools that it has. */
const CALLS: readonly McpCall[] = [
  { name: 'search', arguments: { query: 'boat', limit: 3 } },
  { name: 'search', arguments: { query: 'boat', limit: 3, collection: 'dir' } },
  { name: 'search', arguments: { query: 'boat', collection: 'absent' } },
  { name: 'search', arguments: { query: 'zeppelin' } },
  { name: 'search', arguments: { limit: 3 } },
  { name: 'query', arguments: { searches: lex('boat'), limit: 3, rerank: false } },
  {
    name: 'query',
    arguments: { searches: lex('boat'), limit: 3, collections: ['dir', 'root'], rerank: false },
  },
  { name: 'query', arguments: { searches: lex('boat'), collections: ['absent'], rerank: false } },
  { name: 'query', arguments: { searches: lex('zeppelin'), collections: ['dir'], rerank: false } },
  { name: 'query', arguments: { limit: 3 } },
  { name: 'no_such_tool', arguments: {} },
];

/**
 * Asks the MCP server of a tool what it has, and calls it.
 *
 * @param reranks the release knows no `rerank`, so that a `query` would load a model: not called
 */
export async function askMcp(started: Started, reranks: boolean): Promise<McpAnswers> {
  const { command, env, cwd } = started;
  const client = new Client({ name: 'test', version: '1' });
  await client.connect(
    new StdioClientTransport({ command, args: ['mcp'], env: { ...env }, cwd, stderr: 'ignore' }),
  );
  try {
    const { tools } = await client.listTools();
    const has = (name: string): boolean => tools.some((tool) => tool.name === name);
    const calls: { call: McpCall; answer: unknown }[] = [];
    for (const call of CALLS) {
      const elsewhere = ['search', 'query'].includes(call.name) && !has(call.name);
      if (elsewhere || (call.name === 'query' && reranks)) continue;
      const answer = await client
        .callTool({ name: call.name, arguments: { ...call.arguments } })
        .catch((error: unknown) => String(error));
      calls.push({ call, answer });
    }
    return {
      tools: tools.map(({ name, inputSchema }) => ({
        name,
        properties: Object.keys(inputSchema.properties ?? {}),
      })),
      calls,
    };
  } finally {
    await client.close();
  }
}
