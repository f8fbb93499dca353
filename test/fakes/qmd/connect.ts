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

/** Lists the tools of the MCP server of a program, and calls them. */
export async function askMcp({ command, env, cwd }: StartOptions): Promise<McpAnswers> {
  const client = new Client({ name: 'test', version: '1' });
  await client.connect(
    new StdioClientTransport({ command, args: ['mcp'], env: { ...env }, cwd, stderr: 'ignore' }),
  );
  try {
    const { tools } = await client.listTools();
    const properties = new Map(
      tools.map(({ name, inputSchema }) => [name, Object.keys(inputSchema.properties ?? {})]),
    );
    const canCall = (name: string): boolean => {
      if (name === 'search') return properties.has('search');
      // Where reranking cannot be switched off, the tool would load a model.
      return name !== 'query' || properties.get('query')?.includes('rerank') === true;
    };
    const calls: { call: McpCall; answer: unknown }[] = [];
    for (const call of CALLS) {
      if (!canCall(call.name)) continue;
      const answer = await client
        .callTool({ name: call.name, arguments: { ...call.arguments } })
        .catch((error: unknown) => String(error));
      calls.push({ call, answer });
    }
    return {
      tools: [...properties].map(([name, names]) => ({ name, properties: names })),
      calls,
    };
  } finally {
    await client.close();
  }
}
