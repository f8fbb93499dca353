/**
 * An agent on the protocol library's own side for agents. What it does is the word that a prompt begins
 * with; what it is asked and told it writes to stderr.
 *
 *   node --import tsx fake-agent.ts
 */
import { spawn } from 'node:child_process';
import { Readable, Writable } from 'node:stream';
import {
  type AgentContext,
  agent,
  methods,
  ndJsonStream,
  type PromptResponse,
  RequestError,
  type SessionUpdate,
  type ToolKind,
} from '@agentclientprotocol/sdk';

const SESSION = 'session-1';
let cancelled: () => void = () => undefined;

function hear(...words: readonly unknown[]): void {
  process.stderr.write(`${words.join(' ')}\n`);
}

async function say(client: AgentContext, text: string): Promise<void> {
  await client.notify(methods.client.session.update, {
    sessionId: SESSION,
    update: { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } },
  });
}

/** The kind of a call is told with it, or later. */
async function ask(client: AgentContext, kind: ToolKind, isToldLater = false): Promise<void> {
  const toolCall = { toolCallId: `call-${kind}`, title: `to ${kind}` };
  const updates: readonly SessionUpdate[] = [
    { sessionUpdate: 'tool_call', ...toolCall, ...(isToldLater ? {} : { kind }) },
    ...(isToldLater ? [{ sessionUpdate: 'tool_call_update' as const, ...toolCall, kind }] : []),
  ];
  for (const update of updates) {
    await client.notify(methods.client.session.update, { sessionId: SESSION, update });
  }
  const { outcome } = await client.request(methods.client.session.requestPermission, {
    sessionId: SESSION,
    // Its kind was told before.
    toolCall: { toolCallId: toolCall.toolCallId },
    options: [
      { optionId: 'always', name: 'Always', kind: 'allow_always' },
      { optionId: 'once', name: 'Once', kind: 'allow_once' },
      { optionId: 'no', name: 'No', kind: 'reject_once' },
    ],
  });
  await say(
    client,
    `${kind}=${outcome.outcome === 'selected' ? outcome.optionId : outcome.outcome} `,
  );
}

type Behaviour = (
  client: AgentContext,
  text: string,
) => Promise<PromptResponse['stopReason'] | 'paused'>;

const BEHAVIOURS: Readonly<Record<string, Behaviour>> = {
  answer: async (client, text) => {
    await say(client, 'let me see');
    await client.notify(methods.client.session.update, {
      sessionId: SESSION,
      update: { sessionUpdate: 'tool_call', toolCallId: 'c', title: 'Reading pages', kind: 'read' },
    });
    const entry = { content: 'Count pages', priority: 'low', status: 'in_progress' } as const;
    const update = { sessionUpdate: 'plan' as const, entries: [entry] };
    await client.notify(methods.client.session.update, { sessionId: SESSION, update });
    await new Promise((resolve) => setTimeout(resolve, 1300));
    await say(client, 'there are ');
    await say(client, 'three\n');
    hear('prompt', JSON.stringify(text));
    return 'end_turn';
  },
  permissions: async (client) => {
    for (const kind of ['read', 'edit', 'execute'] as const) await ask(client, kind);
    // Each use of a tool restarts the answer: only the last one counts.
    await ask(client, 'search', true);
    return 'end_turn';
  },
  file: async (client) => {
    const path = '/etc/hostname';
    const read = client.request(methods.client.fs.readTextFile, { sessionId: SESSION, path });
    const refusal: unknown = await read.catch((error: unknown) => error);
    await say(client, refusal instanceof RequestError ? `refused ${refusal.code}` : 'read it');
    return 'end_turn';
  },
  wait: async () => {
    await new Promise<void>((resolve) => {
      cancelled = resolve;
      hear('waiting');
    });
    return 'cancelled';
  },
  ignore: async () => {
    process.on('SIGTERM', () => undefined);
    const idle = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], {
      stdio: 'ignore',
    });
    hear('pids', process.pid, idle.pid);
    await new Promise(() => undefined);
    return 'end_turn';
  },
  linger: async (client) => {
    process.on('SIGTERM', () => undefined);
    setInterval(() => undefined, 1000);
    process.stdin.on('end', () => hear('left alone'));
    await say(client, 'all done');
    return 'end_turn';
  },
  die: async () => {
    process.stderr.write('out of tokens\n', () => process.exit(7));
    await new Promise(() => undefined);
    return 'end_turn';
  },
  future: async (client) => {
    const update = { sessionUpdate: 'of_a_later_version' } as unknown as SessionUpdate;
    await client.notify(methods.client.session.update, { sessionId: SESSION, update });
    process.stdout.write('{"jsonrpc":"2.0","id":"\\u001b[2Jnobody","result":{}}\n');
    await say(client, 'done');
    return 'end_turn';
  },
  refuse: async () => 'refusal',
  limit: async () => 'max_tokens',
  // Of no version of the protocol.
  pause: async () => 'paused',
  fail: async () => {
    throw RequestError.internalError(undefined, 'model is away');
  },
};

/** As of older releases of Gemini CLI, an agent with variables, and codex-acp 2.6. */
const WAYS = [
  { id: 'oauth-personal', name: 'Log in with Google', description: null },
  {
    id: 'gemini',
    name: 'Use Gemini API key',
    description: 'Requires setting the `GEMINI_API_KEY` environment variable',
  },
  { id: 'codex', name: 'Codex', type: 'env_var', vars: [{ name: 'CODEX_API_KEY' }] },
  {
    id: 'api-key',
    name: 'API Key',
    description: 'Use an API key to authenticate',
    _meta: { 'api-key': { provider: 'openai' } },
  },
  { id: 'chat-gpt', name: 'ChatGPT', description: 'Use ChatGPT to authenticate' },
];
let isSignedIn = false;

const [mode] = process.argv.slice(2);
if (mode === 'greeting') process.stdout.write('Welcome!\n{"a": 1}\n');

agent({ name: 'fake' })
  .onRequest(methods.agent.initialize, ({ params }) => {
    hear('initialize', JSON.stringify(params.clientCapabilities));
    return {
      protocolVersion: mode === 'old' ? 0 : params.protocolVersion,
      ...(mode === 'sign-in' ? { authMethods: WAYS } : {}),
    };
  })
  .onRequest(methods.agent.session.new, ({ params }) => {
    hear('new', params.cwd, params.mcpServers.length);
    if (mode === 'sign-in' && !isSignedIn) throw RequestError.authRequired();
    return { sessionId: SESSION };
  })
  .onRequest(methods.agent.authenticate, ({ params: { methodId } }) => {
    hear('authenticate', methodId);
    isSignedIn = true;
    return {};
  })
  .onRequest(methods.agent.session.prompt, async ({ params, client }) => {
    const text = params.prompt.map((block) => (block.type === 'text' ? block.text : '')).join('');
    const behave = BEHAVIOURS[/^\w+/u.exec(text)?.[0] ?? ''] ?? (async () => 'end_turn' as const);
    return { stopReason: (await behave(client, text)) as PromptResponse['stopReason'] };
  })
  .onNotification(methods.agent.session.cancel, () => {
    hear('cancel');
    cancelled();
  })
  .connect(ndJsonStream(Writable.toWeb(process.stdout), Readable.toWeb(process.stdin)));
