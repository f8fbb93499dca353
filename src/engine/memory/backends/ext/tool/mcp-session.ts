import { Client } from '@modelcontextprotocol/client';
import { isRecord } from '../../../../config/index.js';
import { messageOf } from '../../../../errors/index.js';
import { merged, type ToolQuestion } from './ask-program.js';
import { ChildTransport } from './child-transport.js';
import { callsOf, type McpPlan, type OfferedTool, planMcp } from './mcp-plan.js';
import type { Tool } from './open-tool.js';
import { hitOf, type ToolAnswer } from './read-answer.js';
import type { RunOptions } from './run-tool.js';
import { ToolFailure } from './tool-failure.js';

/** What a session is opened with. */
export interface McpSessionOptions {
  readonly tool: Tool;
  /** `memory.ext.searchTool`. */
  readonly searchTool: string | undefined;
  /** Told the process group of the program, to end it should svc be killed. */
  readonly mind: (pid: number) => () => void;
  /** Called once the program has ended. */
  readonly onClosed: () => void;
}

/** How long the program may take to be ready; models are loaded by the first question. */
const START_TIMEOUT_MS = 15_000;

/**
 * The program kept running as an MCP server: a question costs no start of it, and its models stay loaded.
 * Life cycle: opened by the first question, closed once; one that broke is not used again.
 */
export class McpSession {
  private readonly options: McpSessionOptions;
  private opened: Promise<{ readonly client: Client; readonly tools: readonly OfferedTool[] }>;

  constructor(options: McpSessionOptions) {
    this.options = options;
    this.opened = this.open();
    // Whoever asks hears of it.
    this.opened.catch(() => undefined);
  }

  /**
   * @returns undefined where this release is to be run instead for such a question
   * @throws ToolFailure; the signal's reason
   */
  async ask(question: ToolQuestion, run: RunOptions): Promise<ToolAnswer | undefined> {
    try {
      const { client, tools } = await this.opened;
      const plan = planMcp(tools, question.mode, this.options.searchTool);
      if (plan === undefined) return undefined;
      return await askPlanned(client, plan, question, run);
    } catch (error) {
      run.signal?.throwIfAborted();
      if (error instanceof ToolFailure) throw error;
      throw new ToolFailure(
        /timed? ?out/iu.test(messageOf(error)) ? 'BACKEND_TIMEOUT' : 'BACKEND_FAILED',
        `the external search program gave no answer over MCP: ${messageOf(error)}`,
        'svc memory status --deep tries it step by step',
      );
    }
  }

  async close(): Promise<void> {
    const opened = await this.opened.catch(() => undefined);
    await opened?.client.close();
    this.options.onClosed();
  }

  private async open() {
    const { tool, mind } = this.options;
    const transport = new ChildTransport({
      command: [tool.program, 'mcp'],
      env: tool.env,
      cwd: tool.cwd,
      mind,
    });
    const client = new Client({ name: 'svc', version: '1' });
    const timeout = { timeout: START_TIMEOUT_MS };
    try {
      await client.connect(transport, timeout);
      const { tools } = await client.listTools(undefined, timeout);
      return { client, tools: tools.map(offered) };
    } catch (error) {
      await transport.close();
      throw error;
    }
  }
}

async function askPlanned(
  client: Client,
  plan: McpPlan,
  question: ToolQuestion,
  { timeoutMs, signal }: RunOptions,
): Promise<ToolAnswer> {
  const options = { timeout: timeoutMs, ...(signal === undefined ? {} : { signal }) };
  const answers: ToolAnswer[] = [];
  for (const args of callsOf(plan, question)) {
    const result = await client.callTool({ name: plan.name, arguments: { ...args } }, options);
    if (result.isError === true)
      throw new Error(`its tool ${plan.name} failed: ${wordsIn(result.content)}`);
    answers.push({ hits: hitsIn(result.structuredContent), withoutVectors: undefined });
  }
  const names = new Set(question.collections);
  const { hits } = merged(answers, question.limit);
  return {
    hits: hits.filter(({ collection }) => names.has(collection)),
    withoutVectors: undefined,
  };
}

function hitsIn(content: unknown): ToolAnswer['hits'] {
  const results = isRecord(content) ? content['results'] : undefined;
  if (!Array.isArray(results)) throw new Error('it answered without results');
  return results.flatMap(hitOf);
}

function wordsIn(content: readonly unknown[]): string {
  const words = content.flatMap((part) =>
    isRecord(part) && typeof part['text'] === 'string' ? [part['text']] : [],
  );
  return words.join(' ').slice(0, 300);
}

function offered({
  name,
  inputSchema,
}: {
  readonly name: string;
  readonly inputSchema: unknown;
}): OfferedTool {
  const properties = isRecord(inputSchema) ? inputSchema['properties'] : undefined;
  return { name, properties: new Set(isRecord(properties) ? Object.keys(properties) : []) };
}
