import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import {
  type CallToolResult,
  Client,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import * as z from 'zod/mini';
import { ROOT, type StartedSvc, startSvc } from './run-svc.js';
import { type TempFolder, tempFolder } from './temp-folder.js';

/** The revision of the protocol that a client opens with: that of 2025, or the newest. */
export type Era = 'auto' | 'legacy';

const PROGRAM = join(ROOT, 'bin/run.js');

function environment(home: string, env: Readonly<Record<string, string>> = {}) {
  return { PATH: process.env['PATH'] ?? '', HOME: home, SVC_HOME: home, ...env };
}

/** A home whose workspace has two notes, with this configuration; keyword search only by default. */
export function mcpHome(
  config: object = {},
  notes: Readonly<Record<string, string>> = {},
): TempFolder {
  const home = tempFolder();
  const agents = { defaults: { memorySearch: { provider: 'none' } } };
  home.write('svc.json', JSON.stringify({ agents, ...config }));
  const all = {
    'MEMORY.md': '# Memory\n\nThe nightly backup runs at 02:30.\n',
    'memory/2026-02-03.md': '# Zebras\n\nA zebra sleeps at noon.\n',
    ...notes,
  };
  for (const [path, text] of Object.entries(all)) home.write(`workspace/${path}`, text);
  return home;
}

const clients = new Set<Client>();
const children = new Set<ChildProcess>();
process.on('exit', () => {
  for (const child of children) child.kill('SIGKILL');
});

/** Closes every client that a test has opened. */
export async function closeClients(): Promise<void> {
  const open = [...clients];
  clients.clear();
  await Promise.all(open.map((client) => client.close()));
}

interface StdioOptions {
  readonly args?: readonly string[];
  /** Besides PATH and the home. */
  readonly env?: Readonly<Record<string, string>>;
  readonly era?: Era;
  /** Where the agent was started; the home by default. */
  readonly cwd?: string;
}

/** The SDK's own client, on the built program. */
export async function stdioClient(
  home: TempFolder,
  { args = [], env, era = 'legacy', cwd = home.path }: StdioOptions = {},
): Promise<{ readonly client: Client; readonly transport: StdioClientTransport }> {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [PROGRAM, 'mcp', ...args],
    env: environment(home.path, env),
    cwd,
    stderr: 'pipe',
  });
  return {
    client: await connect(new Client(CLIENT_INFO, negotiationOptions(era)), transport),
    transport,
  };
}

const CLIENT_INFO = { name: 'test', version: '1' };

function negotiationOptions(era: Era) {
  return { versionNegotiation: { mode: era } };
}

async function connect(
  client: Client,
  transport: StdioClientTransport | StreamableHTTPClientTransport,
): Promise<Client> {
  clients.add(client);
  await client.connect(transport);
  return client;
}

/** A listening server, and the token that it requires. */
export interface ListeningMcp extends StartedSvc {
  readonly url: string;
  readonly token: string;
}

/** Starts `svc mcp --http` on a free port. */
export async function startHttpMcp(
  home: TempFolder,
  args: readonly string[] = [],
): Promise<ListeningMcp> {
  const started = startSvc(['mcp', '--http', '--port', '0', ...args], { home: home.path });
  children.add(started.child);
  await started.waitForText('token file: ');
  const url = /listening on (\S+)/.exec(started.stderr())?.[1];
  if (url === undefined) throw new Error(`it does not listen: ${started.stderr()}`);
  return { ...started, url, token: readFileSync(home.at('mcp-token'), 'utf8').trim() };
}

/** The SDK's own client over HTTP. */
export function httpClient({ url, token }: ListeningMcp, era: Era = 'legacy'): Promise<Client> {
  const transport = new StreamableHTTPClientTransport(new URL(url), {
    requestInit: { headers: { authorization: `Bearer ${token}` } },
  });
  return connect(new Client(CLIENT_INFO, negotiationOptions(era)), transport);
}

/** Calls `memory_search`. */
export function callSearch(
  client: Client,
  query: string,
  options?: Parameters<Client['callTool']>[1],
): Promise<CallToolResult> {
  return client.callTool({ name: 'memory_search', arguments: { query } }, options);
}

/** The text of a tool's result. */
export function textOf(result: CallToolResult): string {
  return result.content.map((part) => (part.type === 'text' ? part.text : `<${part.type}>`)).join();
}

const searchResults = z.object({
  results: z.array(
    z.object({
      path: z.string(),
      snippet: z.string(),
      citation: z.optional(z.string()),
      similarCount: z.optional(z.number()),
      similar: z.optional(z.array(z.object({ citation: z.optional(z.string()) }))),
    }),
  ),
  mode: z.string(),
  disabled: z.optional(z.boolean()),
  warnings: z.array(z.object({ code: z.string(), message: z.string() })),
});

/** The fields that tests check in the structured result of `memory_search`. */
export function searchResultsOf(result: CallToolResult): z.infer<typeof searchResults> {
  if (result.isError === true) throw new Error(textOf(result));
  return searchResults.parse(result.structuredContent);
}

/** A server that a test writes lines to by hand. */
export interface RawMcp {
  readonly child: ChildProcess;
  /** Writes a line: JSON for anything but text. */
  readonly send: (message: unknown) => void;
  /** The message with this id; waits for it. */
  readonly answer: (id: number) => Promise<Readonly<Record<string, unknown>>>;
  /** All lines so far. */
  readonly lines: readonly string[];
  readonly stderr: () => string;
  readonly done: Promise<{ readonly code: number | null; readonly signal: NodeJS.Signals | null }>;
}

/** Starts `svc mcp` and leaves its stdin open. */
export function startRawMcp(home: TempFolder, args: readonly string[] = []): RawMcp {
  const child = spawn(process.execPath, [PROGRAM, 'mcp', ...args], {
    cwd: home.path,
    env: environment(home.path),
  });
  children.add(child);
  const lines: string[] = [];
  const waiting = new Set<() => void>();
  const wake = (): void => {
    for (const check of waiting) check();
  };
  createInterface({ input: child.stdout }).on('line', (line) => {
    lines.push(line);
    wake();
  });
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  child.stdin.on('error', () => undefined);
  const done: RawMcp['done'] = new Promise((resolve) => {
    child.on('close', (code, signal) => {
      resolve({ code, signal });
      wake();
    });
  });
  const findAnswer = (id: number): Readonly<Record<string, unknown>> | undefined => {
    const messages = lines.map((line) => z.record(z.string(), z.unknown()).parse(JSON.parse(line)));
    return messages.find((message) => message['id'] === id && !('method' in message));
  };
  return {
    child,
    lines,
    done,
    stderr: () => stderr,
    send: (message) => {
      child.stdin.write(`${typeof message === 'string' ? message : JSON.stringify(message)}\n`);
    },
    answer: (id) =>
      new Promise((resolve, reject) => {
        const check = (): void => {
          const message = findAnswer(id);
          const hasEnded = child.exitCode !== null || child.signalCode !== null;
          if (message === undefined && !hasEnded) return;
          waiting.delete(check);
          if (message === undefined) reject(new Error(`it ended without an answer:\n${stderr}`));
          else resolve(message);
        };
        waiting.add(check);
        check();
      }),
  };
}

/** The messages that open a connection of the 2025 revisions. */
export function initializeMessages(id: number, protocolVersion = '2025-06-18'): readonly object[] {
  const params = { protocolVersion, capabilities: {}, clientInfo: CLIENT_INFO };
  return [
    { jsonrpc: '2.0', id, method: 'initialize', params },
    { jsonrpc: '2.0', method: 'notifications/initialized' },
  ];
}

/** The message that calls `memory_search`. */
export function searchMessage(id: number, query: string): object {
  const params = { name: 'memory_search', arguments: { query } };
  return { jsonrpc: '2.0', id, method: 'tools/call', params };
}
