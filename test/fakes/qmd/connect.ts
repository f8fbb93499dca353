import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';

/** How to start a program. */
export interface StartOptions {
  readonly command: string;
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
}

/** The tools of an MCP server, and its answers to some calls. */
export interface McpAnswers {
  readonly tools: readonly { readonly name: string; readonly properties: readonly string[] }[];
  readonly calls: readonly { readonly call: McpCall; readonly answer: unknown }[];
}

/** One call of a tool of the server. */
export interface McpCall {
  readonly name: string;
  readonly arguments: Readonly<Record<string, unknown>>;
}

const lex = (query: string): readonly object[] => [{ type: 'lex', query }];

/** Calls that load no model in any release; a release is only called with the tools that it has. */
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
 * Lists the tools of the MCP server of a program, and calls them.
 *
 * @param reranks the release does not know `rerank`: a `query` would load a model, and is not called
 */
export async function askMcp(options: StartOptions, reranks: boolean): Promise<McpAnswers> {
  const { command, env, cwd } = options;
  const client = new Client({ name: 'test', version: '1' });
  await client.connect(
    new StdioClientTransport({ command, args: ['mcp'], env: { ...env }, cwd, stderr: 'ignore' }),
  );
  try {
    const { tools } = await client.listTools();
    const has = (name: string): boolean => tools.some((tool) => tool.name === name);
    const calls: { call: McpCall; answer: unknown }[] = [];
    for (const call of CALLS) {
      const isMissing = ['search', 'query'].includes(call.name) && !has(call.name);
      if (isMissing || (call.name === 'query' && reranks)) continue;
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
