import fc from 'fast-check';
import * as z from 'zod/mini';
import { chooseChatModel } from '../../../src/engine/chat/choose-chat-model.js';
import { openChatModel } from '../../../src/engine/chat/open-chat-model.js';
import { resolveConfig } from '../../../src/engine/config/index.js';
import { CHAT_KEY, startAnthropicFake, startOpenAiChatFake } from '../../../test/fakes/chat.js';
import { tempFolder } from '../../../test/support/temp-folder.js';
import { cpuMs } from '../cpu-time.js';
import { manglingSchema, manglings, startManglingProxy } from '../mangling-proxy.js';
import { requirePresentable } from '../presentable.js';
import { type OpenTarget, openTarget } from '../target.js';

const APIS = ['anthropic', 'openai'] as const;
const inputSchema = z.object({ api: z.enum(APIS), mangling: manglingSchema });

/** No retries, which would take seconds: the vendors target covers them. */
const RETRIED = new Set([408, 409, 425, 429, 500, 502, 503, 529, 599, 999]);

const inputs = fc.record({
  api: fc.constantFrom(...APIS),
  mangling: manglings.map((mangling) => {
    const { status = 200 } = mangling;
    return { ...mangling, first: 0, cutOff: false, status: RETRIED.has(status) ? 422 : status };
  }),
});

const LONGEST_MS = 5000;

/** Responses of chat models: text, or a SvcError without secrets. */
export async function openChatTarget(): Promise<OpenTarget> {
  const fakes = { anthropic: await startAnthropicFake(), openai: await startOpenAiChatFake() };
  const proxies = {
    anthropic: await startManglingProxy(fakes.anthropic.origin),
    openai: await startManglingProxy(fakes.openai.origin),
  };
  const providers = {
    anthropic: { baseUrl: proxies.anthropic.origin, apiKey: CHAT_KEY },
    corp: { baseUrl: `${proxies.openai.origin}/v1`, apiKey: CHAT_KEY },
  };
  const dir = tempFolder().path;
  const config = resolveConfig({ models: { providers } });
  const world = { config, env: {}, homeDir: dir, stateDir: dir };
  const { signal } = new AbortController();
  const open = (name: string) => openChatModel(chooseChatModel(name, world), world, signal);
  const models = {
    anthropic: await open('anthropic/claude-haiku-4-5'),
    openai: await open('corp/model-7'),
  };
  return openTarget({
    inputs,
    schema: inputSchema,
    check: async ({ api, mangling }) => {
      proxies[api].mangle(mangling);
      const started = cpuMs();
      try {
        const prompt = 'Say it.';
        const request = { system: 'Be short.', prompt, maxTokens: 50, timeoutMs: 3000, signal };
        const { text, tokens } = await models[api].complete(request);
        if (typeof text !== 'string') throw new Error(`text is ${typeof text}`);
        if (tokens !== undefined && !Number.isFinite(tokens))
          throw new Error(`tokens are ${JSON.stringify(tokens)}`);
      } catch (error) {
        requirePresentable(error, proxies[api].keys);
      }
      const ms = cpuMs() - started;
      if (ms > LONGEST_MS) throw new Error(`it took ${ms} ms`);
    },
    close: async () => {
      for (const api of APIS) {
        await proxies[api].close();
        await fakes[api].close();
      }
    },
  });
}
