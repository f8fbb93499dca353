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

/** How long the program may take to be ready, whoever waits; models are loaded by the first question. */
const START_TIMEOUT_MS = 15_000;

/**
 * The program kept running as an MCP server: a question costs no start of it, and its models stay loaded.
 * Life cycle: opened by the first question, closed once; one that broke is not used again.
 */
export class McpSession {
  private readonly options: McpSessionOptions;
  private readonly transport: ChildTransport;
  private readonly client = new Client({ name: 'svc', version: '1' });
  private readonly opened: Promise<readonly OfferedTool[]>;
  private hasClosed = false;

  constructor(options: McpSessionOptions) {
    const { tool, mind } = options;
    const command = [tool.program, 'mcp'] as const;
    this.options = options;
    this.transport = new ChildTransport({
      command: [...command],
      env: tool.env,
      cwd: tool.cwd,
      mind,
    });
    this.opened = this.open();
    // Whoever asks hears of it.
    this.opened.catch(() => undefined);
  }

  /**
   * @returns undefined where this release is to be run instead for such a question
   * @throws ToolFailure; the signal's reason
   */
  async ask(question: ToolQuestion, run: RunOptions): Promise<ToolAnswer | undefined> {
    const started = performance.now();
    try {
      const tools = await within(this.opened, run);
      const plan = planMcp(tools, question.mode, this.options.searchTool);
      if (plan === undefined) return undefined;
      const timeoutMs = run.timeoutMs - (performance.now() - started);
      return await askPlanned(this.client, plan, question, { ...run, timeoutMs });
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
    if (this.hasClosed) return;
    this.hasClosed = true;
    // Not through the client: one that is not connected yet would leave the program running.
    await this.transport.close();
    await this.client.close();
    this.options.onClosed();
  }

  private async open(): Promise<readonly OfferedTool[]> {
    const timeout = { timeout: START_TIMEOUT_MS };
    await this.client.connect(this.transport, timeout);
    const { tools } = await this.client.listTools(undefined, timeout);
    return tools.map(offered);
  }
}

/** @throws the signal's reason; an error that says "timed out" */
async function within<T>(work: Promise<T>, { timeoutMs, signal }: RunOptions): Promise<T> {
  signal?.throwIfAborted();
  const ends = new AbortController();
  const late = new Promise<never>((_, reject) => {
    const timer = setTimeout(() => reject(new Error('its start timed out')), timeoutMs);
    ends.signal.addEventListener('abort', () => clearTimeout(timer));
    const once = { once: true, signal: ends.signal };
    signal?.addEventListener('abort', () => reject(signal.reason), once);
  });
  return Promise.race([work, late]).finally(() => ends.abort());
}

async function askPlanned(
  client: Client,
  plan: McpPlan,
  question: ToolQuestion,
  { timeoutMs, signal }: RunOptions,
): Promise<ToolAnswer> {
  const deadline = performance.now() + timeoutMs;
  const answers: ToolAnswer[] = [];
  for (const args of callsOf(plan, question)) {
    const timeout = Math.max(1, Math.round(deadline - performance.now()));
    const options = { timeout, ...(signal === undefined ? {} : { signal }) };
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
