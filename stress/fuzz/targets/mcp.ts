import { createInterface } from 'node:readline';
import { PassThrough } from 'node:stream';
import fc from 'fast-check';
import * as z from 'zod/mini';
import { createSecretMask } from '../../../src/engine/masking/index.js';
import { createLiveMemory } from '../../../src/engine/mcp/live-memory.js';
import { sessionOf } from '../../../src/engine/mcp/mcp-context.js';
import { connectStdio } from '../../../src/engine/mcp/stdio.js';
import { openMemory } from '../../../src/engine/memory/index.js';
import { contextOf } from '../../../test/support/context.js';
import { initializeMessages, searchMessage } from '../../../test/support/mcp.js';
import { folderOf, tempFolder } from '../../../test/support/temp-folder.js';
import {
  type FuzzText,
  JSON_PIECES,
  mangledJson,
  mangledJsonText,
  oddData,
  repeatedText,
  textOf,
  textSchema,
} from '../mangle.js';
import { type OpenTarget, openTarget } from '../target.js';

const inputSchema = z.object({ lines: z.array(textSchema) });

const call = (name: string, args: object) => {
  return { jsonrpc: '2.0', id: 7, method: 'tools/call', params: { name, arguments: args } };
};
const ask = (method: string, params: object = {}) => ({ jsonrpc: '2.0', id: 8, method, params });

/** A valid sequence of every kind of client message. */
const VALID: readonly unknown[] = [
  ...initializeMessages(9),
  searchMessage(3, 'when does the backup run'),
  call('memory_search', { query: 'zebra', maxResults: 3, minScore: 0.1, sources: ['memory'] }),
  call('memory_get', { path: 'MEMORY.md', from: 1, lines: 2 }),
  call('memory_get', { path: '../../etc/passwd' }),
  ask('tools/list'),
  ask('resources/list', { cursor: 'x' }),
  ask('resources/read', { uri: 'memory://main/MEMORY.md' }),
  ask('resources/templates/list'),
  ask('resources/subscribe', { uri: 'memory://main/MEMORY.md' }),
  ask('prompts/list'),
  ask('logging/setLevel', { level: 'debug' }),
  ask('completion/complete', {
    ref: { type: 'ref/prompt', name: 'x' },
    argument: { name: 'a', value: '' },
  }),
  { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 7, reason: 'x' } },
  { jsonrpc: '2.0', id: 8, result: {} },
  { jsonrpc: '2.0', id: 8, error: { code: -1, message: 'x' } },
  [ask('ping'), ask('ping')],
];

const PIECE = fc.constantFrom(
  ...JSON_PIECES,
  ...['\r', ' ', 'null', '-1', '1e999', '\ud800'],
  ...[
    '"id":',
    '"method":',
    '"jsonrpc":"2.0"',
    '__proto__',
    'memory://',
    '%',
    '%00',
    '..',
    'é',
    '🦊',
  ],
);

const line: fc.Arbitrary<FuzzText> = fc.oneof(
  {
    weight: 6,
    arbitrary: mangledJson(VALID),
  },
  {
    weight: 4,
    arbitrary: mangledJsonText(VALID, PIECE),
  },
  {
    weight: 3,
    arbitrary: fc
      .tuple(
        fc.constantFrom('memory_search', 'memory_get', 'x', '__proto__'),
        fc.dictionary(
          fc.constantFrom('query', 'path', 'from', 'lines', 'maxResults', 'minScore'),
          oddData,
        ),
      )
      .map(([name, args]) => JSON.stringify(call(name, args))),
  },
  { weight: 1, arbitrary: repeatedText(PIECE, 100_000) },
);

const inputs = fc.record({ lines: fc.array(line, { minLength: 1, maxLength: 6 }) });

const NOTES = {
  'MEMORY.md': '# Memory\n\nThe nightly backup runs at 02:30.\n',
  'memory/2026-02-03.md': '# Zebras\n\nA zebra sleeps at noon.\n',
};

/** Lines to the MCP server: whatever the input, it prints only protocol messages and answers the next query. */
export async function openMcpTarget(): Promise<OpenTarget> {
  const home = tempFolder().path;
  const workspace = folderOf(NOTES).path;
  const context = contextOf(home);
  const log = { info: () => undefined, warn: () => undefined };
  const memory = createLiveMemory({
    clock: context.clock,
    log,
    open: () => openMemory(context, { kind: 'workspace', dir: workspace }),
  });
  const world = { memory, session: sessionOf({}), mask: createSecretMask(), log, version: '1' };
  return openTarget({
    inputs,
    schema: inputSchema,
    // Each input has its own connection, so that it cannot affect the next one.
    check: async ({ lines }) => {
      const stdin = new PassThrough();
      const stdout = new PassThrough();
      const connection = connectStdio(world, { stdin, stdout });
      const client = listen(stdout);
      const send = (text: string): void => void stdin.write(`${text}\n`);
      for (const message of initializeMessages(1)) send(JSON.stringify(message));
      for (const text of lines) send(textOf(text));
      send(JSON.stringify(searchMessage(LAST, 'zebra')));
      await client.answered;
      stdin.end();
      await connection.close();
    },
    close: () => memory.close(),
  });
}

const LAST = 424_242;

const messageSchema = z.object({
  jsonrpc: z.literal('2.0'),
  id: z.optional(z.union([z.string(), z.number(), z.null()])),
  result: z.optional(z.object({ isError: z.optional(z.boolean()) })),
});

function listen(stdout: PassThrough): { readonly answered: Promise<void> } {
  const answered = new Promise<void>((resolve, reject) => {
    createInterface({ input: stdout }).on('line', (text) => {
      try {
        const message: unknown = JSON.parse(text);
        for (const { id, result } of [message].flat().map((one) => messageSchema.parse(one))) {
          if (id !== LAST) continue;
          if (result === undefined || result.isError === true) throw new Error('no answer');
          resolve();
        }
      } catch (error) {
        reject(new Error(`stdout has ${text.slice(0, 200)}: ${error}`));
      }
    });
  });
  return { answered };
}
