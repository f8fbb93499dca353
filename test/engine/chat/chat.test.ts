import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { ChatRequest } from '../../../src/engine/chat/apis.js';
import { chooseChatModel } from '../../../src/engine/chat/choose-chat-model.js';
import { type ChatModel, openChatModel } from '../../../src/engine/chat/open-chat-model.js';
import { resolveConfig } from '../../../src/engine/config/index.js';
import type { ConfigInput } from '../../../src/engine/config/schema/index.js';
import type { ProviderWorld } from '../../../src/engine/embeddings/provider-world.js';
import { CHAT_KEY, startAnthropicFake, startOpenAiChatFake } from '../../fakes/chat.js';
import { type FakeVendor, startFake } from '../../fakes/fake-vendor.js';
import { failureOf } from '../../support/failure.js';
import { tempFolder } from '../../support/temp-folder.js';

const test = suite('chat models');

type Providers = NonNullable<NonNullable<ConfigInput['models']>['providers']>;

function worldOf(providers: Providers, env: Record<string, string> = {}): ProviderWorld {
  const dir = tempFolder().path;
  return { config: resolveConfig({ models: { providers } }), env, homeDir: dir, stateDir: dir };
}

const NEVER = new AbortController().signal;

async function opened(name: string, providers: Providers, env = {}): Promise<ChatModel> {
  const world = worldOf(providers, env);
  return openChatModel(chooseChatModel(name, world), world, NEVER);
}

function ask(request: Partial<ChatRequest> = {}): ChatRequest {
  return { system: 'Be short.', prompt: 'Say it.', maxTokens: 50, signal: NEVER, ...request };
}

async function withFake<T>(starting: Promise<FakeVendor>, work: (fake: FakeVendor) => Promise<T>) {
  const fake = await starting;
  try {
    return await work(fake);
  } finally {
    await fake.close();
  }
}

function bodyOf(fake: FakeVendor): Record<string, unknown> {
  return JSON.parse(fake.requests.at(-1)?.body.toString('utf8') ?? '{}');
}

test('a custom OpenAI-compatible endpoint answers, by its ID alone', async () => {
  const reply = ({ system, user }: { system: string; user: string }) => `${system} ${user}`;
  await withFake(startOpenAiChatFake({ reply }), async (fake) => {
    const providers = { corp: { baseUrl: `${fake.origin}/v1/`, apiKey: CHAT_KEY } };
    const model = await opened('corp/big/model-7', providers);
    const answer = await model.complete(ask());
    assert.equal(answer, {
      text: 'Be short. Say it.',
      truncated: false,
      tokens: 17,
    });
    assert.is(fake.requests[0]?.path, '/v1/chat/completions');
    assert.is(bodyOf(fake)['model'], 'big/model-7');
    assert.is(bodyOf(fake)['max_tokens'], 50);
  });
});

test('an answer that no limit of tokens explains is given up as too large', async () => {
  const reply = () => 'a '.repeat(1024 * 1024);
  await withFake(startOpenAiChatFake({ reply }), async (fake) => {
    const providers = { corp: { baseUrl: `${fake.origin}/v1`, apiKey: CHAT_KEY } };
    const model = await opened('corp/endless', providers);
    assert.match((await failureOf(model.complete(ask()))).message, 'it is too large');
    assert.is(fake.requests.length, 1);
  });
});

test('Anthropic gets its own request format, with thinking in addition to the answer', async () => {
  const content = [
    { type: 'thinking', thinking: 'hm', signature: 's' },
    { type: 'text', text: 'Yes.' },
  ];
  const reply = () => ({ content, finish: 'max_tokens' });
  await withFake(startAnthropicFake({ reply }), async (fake) => {
    const providers = { anthropic: { baseUrl: fake.origin, apiKey: CHAT_KEY } };
    const model = await opened('anthropic/claude-haiku-4-5', providers);
    const answer = await model.complete(ask({ thinking: 'low' }));
    assert.is(answer.text, 'Yes.');
    assert.ok(answer.truncated);
    assert.equal(bodyOf(fake)['thinking'], { type: 'enabled', budget_tokens: 2048 });
    assert.is(bodyOf(fake)['system'], 'Be short.');
    assert.equal(bodyOf(fake)['messages'], [{ role: 'user', content: 'Say it.' }]);
    await model.complete(ask({ thinking: 'adaptive', system: '' }));
    assert.is(bodyOf(fake)['system'], undefined);
  });
});

test('newer models of Anthropic, which refuse a budget for thinking, get the effort instead', async () => {
  const reply = () => 'Yes.';
  await withFake(startAnthropicFake({ reply, isAdaptive: true }), async (fake) => {
    const providers = { anthropic: { baseUrl: fake.origin, apiKey: CHAT_KEY } };
    const model = await opened('anthropic/claude-opus-4-8', providers);
    assert.is((await model.complete(ask({ thinking: 'minimal' }))).text, 'Yes.');
    assert.equal(bodyOf(fake)['thinking'], { type: 'adaptive' });
    assert.equal(bodyOf(fake)['output_config'], { effort: 'low' });
    await model.complete(ask({ thinking: 'max' }));
    assert.equal(bodyOf(fake)['output_config'], { effort: 'max' });
    assert.is(fake.requests.length, 3, 'the refusal is remembered');
  });
});

test('models of Anthropic that know no "adaptive", or not each effort, get what they know', async () => {
  const reply = () => 'Yes.';
  const providers = (fake: FakeVendor) => ({
    anthropic: { baseUrl: fake.origin, apiKey: CHAT_KEY },
  });
  await withFake(startAnthropicFake({ reply, isAdaptive: false }), async (fake) => {
    const model = await opened('anthropic/claude-haiku-4-5', providers(fake));
    await model.complete(ask({ thinking: 'adaptive' }));
    assert.equal(bodyOf(fake)['thinking'], { type: 'enabled', budget_tokens: 8192 });
  });
  const efforts = ['high', 'low', 'max', 'medium'];
  await withFake(startAnthropicFake({ reply, isAdaptive: true, efforts }), async (fake) => {
    const model = await opened('anthropic/claude-opus-4-6', providers(fake));
    await model.complete(ask({ thinking: 'xhigh' }));
    assert.equal(bodyOf(fake)['output_config'], { effort: 'high' });
    await model.complete(ask({ thinking: 'max' }));
    assert.equal(bodyOf(fake)['output_config'], { effort: 'max' });
    assert.is(fake.requests.length, 4, 'the two refusals are remembered');
  });
  await withFake(startAnthropicFake({ reply, isAdaptive: true, efforts: [] }), async (fake) => {
    const model = await opened('anthropic/claude-next', providers(fake));
    await model.complete(ask({ thinking: 'low' }));
    assert.is(bodyOf(fake)['output_config'], undefined);
  });
});

test('a model of Gemini that refuses a level of thinking gets another one', async () => {
  // As gemini-3.1-pro-preview answers at its OpenAI-compatible endpoint, in a list.
  const fakeOf = (accepted: string) =>
    startFake({
      troubleAnswers: {},
      answer: ({ body }) => {
        const { reasoning_effort: effort } = JSON.parse(body.toString('utf8'));
        const message = `Thinking level ${String(effort).toUpperCase()} is not supported for this model. Please retry with other thinking level.`;
        return effort === accepted
          ? { status: 200, body: { choices: [{ message: { content: 'Yes.' } }] } }
          : { status: 400, body: [{ error: { code: 400, message, status: 'INVALID_ARGUMENT' } }] };
      },
    });
  for (const [asked, accepted] of [
    ['minimal', 'low'],
    ['medium', 'low'],
    ['high', 'low'],
  ] as const) {
    await withFake(fakeOf(accepted), async (fake) => {
      const providers = { gemini: { baseUrl: fake.origin, apiKey: CHAT_KEY } };
      const model = await opened('gemini/gemini-3.1-pro-preview', providers);
      assert.is((await model.complete(ask({ thinking: asked }))).text, 'Yes.', asked);
    });
  }
});

test('a server of vLLM or SGLang that refuses an effort gets one that it lists', async () => {
  const why = "Input should be 'low', 'medium' or 'high'";
  const fakeOf = (refusal: (effort: unknown) => object) =>
    startFake({
      troubleAnswers: {},
      answer: ({ body }) => {
        const { reasoning_effort: effort } = JSON.parse(body.toString('utf8'));
        return ['low', 'medium', 'high'].includes(effort)
          ? { status: 200, body: { choices: [{ message: { content: 'Yes.' } }] } }
          : { status: 400, body: refusal(effort) };
      },
    });
  const refusals: readonly ((effort: unknown) => object)[] = [
    // As their pydantic writes it, with what was asked for after it, and as FastAPI does.
    (effort) => {
      const message = `1 validation error:\n  {'type': 'literal_error', 'loc': ('body', 'reasoning_effort'), 'msg': "${why}", 'input': '${String(effort)}', 'ctx': {'expected': "'low', 'medium' or 'high'"}}`;
      return { object: 'error', message, type: 'Bad Request', param: null, code: 400 };
    },
    (input) => ({ detail: [{ loc: ['body', 'reasoning_effort'], msg: why, input }] }),
  ];
  for (const refusal of refusals) {
    await withFake(fakeOf(refusal), async (fake) => {
      const model = await opened('gpu/qwen3', { gpu: { baseUrl: fake.origin, apiKey: CHAT_KEY } });
      await model.complete(ask({ thinking: 'minimal' }));
      assert.is(bodyOf(fake)['reasoning_effort'], 'low');
      await model.complete(ask({ thinking: 'max' }));
      assert.is(bodyOf(fake)['reasoning_effort'], 'high');
      assert.is(fake.requests.length, 3, 'the refusal is remembered');
    });
  }
});

test('each vendor is reached where its chat API is', () => {
  const custom = { baseUrl: 'http://gpu:11434' };
  const address = (name: string, providers: Providers = {}, env = {}) => {
    const { baseUrl, model } = chooseChatModel(name, worldOf(providers, env));
    return `${baseUrl} ${model}`;
  };
  assert.is(address('openai/gpt-5-mini'), 'https://api.openai.com/v1 gpt-5-mini');
  assert.is(
    address('gemini/gemini-3-flash'),
    'https://generativelanguage.googleapis.com/v1beta/openai gemini-3-flash',
  );
  assert.is(address('ollama/qwen3:4b'), 'http://127.0.0.1:11434/v1 qwen3:4b');
  assert.is(address('ollama/qwen3', { ollama: custom }), 'http://gpu:11434/v1 qwen3');
  assert.is(address('ollama/qwen3', {}, { OLLAMA_HOST: 'box:9' }), 'http://box:9/v1 qwen3');
  assert.is(address('local-server/qwen3'), 'http://127.0.0.1:11434/v1 qwen3');
  assert.is(address('anthropic/claude'), 'https://api.anthropic.com/v1 claude');
  assert.is(
    address('mine', { mine: { api: 'mistral', models: [{ id: 'ministral' }] } }),
    'https://api.mistral.ai/v1 ministral',
  );
  // An entry may name its API, and be named, by the kind of an adapter.
  const apiKey = CHAT_KEY;
  const kinds = { mine: { api: 'european-vendor' }, 'general-vendor': { apiKey } };
  assert.is(address('mine/ministral', kinds), 'https://api.mistral.ai/v1 ministral');
  assert.is(address('general-vendor/gpt-5', kinds), 'https://api.openai.com/v1 gpt-5');
  const server = { 'local-server': { apiKey } };
  const OLLAMA_HOST = 'box:9';
  assert.is(address('local-server/qwen3', server, { OLLAMA_HOST }), 'http://box:9/v1 qwen3');
  // Gateways name models by their vendors.
  assert.is(address('gate/openai/gpt-5', { gate: custom }), 'http://gpu:11434 openai/gpt-5');
});

test('OpenAI itself gets the newer name of the limit, and thinking only where it is asked for', async () => {
  await withFake(startOpenAiChatFake(), async (fake) => {
    const providers = { corp: { baseUrl: `${fake.origin}/v1`, apiKey: CHAT_KEY } };
    const model = await opened('corp/m', providers);
    await model.complete(ask({ thinking: 'max' }));
    assert.is(bodyOf(fake)['reasoning_effort'], 'xhigh');
    assert.ok(Number(bodyOf(fake)['max_tokens']) > 50);
    await model.complete(ask({ thinking: 'off' }));
    assert.is(bodyOf(fake)['reasoning_effort'], undefined);
  });
});

test('a model that refuses an effort gets the next one that it accepts, or none', async () => {
  const reply = () => 'Yes.';
  const cases = [
    { efforts: ['none', 'low', 'medium', 'high'], minimal: 'low', max: 'high' },
    { efforts: ['high'], minimal: 'high', max: 'high' },
    { efforts: [], minimal: undefined, max: undefined },
  ];
  for (const { efforts, minimal, max } of cases) {
    await withFake(startOpenAiChatFake({ reply, efforts }), async (fake) => {
      const providers = { openai: { baseUrl: fake.origin, apiKey: CHAT_KEY } };
      const model = await opened('openai/gpt-5.1', providers);
      assert.is((await model.complete(ask({ thinking: 'minimal' }))).text, 'Yes.');
      assert.is(bodyOf(fake)['reasoning_effort'], minimal);
      await model.complete(ask({ thinking: 'max' }));
      assert.is(bodyOf(fake)['reasoning_effort'], max);
      assert.is(fake.requests.length, 3, 'the refusal is remembered');
    });
  }
});

test('a gateway in front of a newer model of OpenAI gets the newer name of the limit, and room to think', async () => {
  const options = { isNewer: true, thinks: 2000, efforts: ['low'], reply: () => 'Yes.' };
  await withFake(startOpenAiChatFake(options), async (fake) => {
    const model = await opened('gate/gpt-5', { gate: { baseUrl: fake.origin, apiKey: CHAT_KEY } });
    assert.is((await model.complete(ask({ thinking: 'high' }))).text, 'Yes.');
    assert.is(bodyOf(fake)['max_tokens'], undefined);
    assert.is(bodyOf(fake)['reasoning_effort'], 'low');
    assert.is((await model.complete(ask())).text, 'Yes.');
    assert.is(fake.requests.length, 4, 'the two refusals are remembered');
  });
});

test('a server that repeats a refusal is not asked forever', async () => {
  const message = "Use 'max_tokens', not 'max_completion_tokens': reasoning_effort is unsupported";
  const answer = () => ({ status: 400, body: { error: { message } } });
  await withFake(startFake({ answer, troubleAnswers: {} }), async (fake) => {
    const model = await opened('corp/m', { corp: { baseUrl: fake.origin, apiKey: CHAT_KEY } });
    const error = await failureOf(model.complete(ask({ thinking: 'low' })));
    assert.match(error.message, 'reasoning_effort is unsupported');
    assert.is(fake.requests.length, 5);
  });
});

test('a model that thinks unasked has tokens left for its answer', async () => {
  await withFake(startOpenAiChatFake({ thinks: 2000, reply: () => 'Yes.' }), async (fake) => {
    const env = { OLLAMA_HOST: fake.origin };
    for (const own of [{}, { baseUrl: fake.origin }]) {
      const model = await opened('ollama/qwen3', { ollama: { apiKey: CHAT_KEY, ...own } }, env);
      assert.is((await model.complete(ask())).text, 'Yes.');
      assert.is(bodyOf(fake)['reasoning_effort'], undefined);
    }
  });
  await withFake(startAnthropicFake({ thinks: 2000, reply: () => 'Yes.' }), async (fake) => {
    const providers = { anthropic: { baseUrl: fake.origin, apiKey: CHAT_KEY } };
    const model = await opened('anthropic/claude-sonnet-5', providers);
    assert.is((await model.complete(ask())).text, 'Yes.');
    assert.is(bodyOf(fake)['thinking'], undefined);
  });
});

test('an answer that ends before any text is a failure, not an empty answer', async () => {
  await withFake(startOpenAiChatFake({ thinks: 9000 }), async (fake) => {
    const model = await opened('corp/m', { corp: { baseUrl: fake.origin, apiKey: CHAT_KEY } });
    const error = await failureOf(model.complete(ask()));
    assert.is(error.code, 'PROVIDER_ANSWER_INVALID');
    assert.match(error.message, /limit of tokens/);
    assert.match(error.hint ?? '', /thinks less/);
  });
  // As Gemini answers.
  const reply = () => ({ content: undefined, finish: 'length' });
  await withFake(startOpenAiChatFake({ reply }), async (fake) => {
    const model = await opened('corp/m', { corp: { baseUrl: fake.origin, apiKey: CHAT_KEY } });
    assert.match((await failureOf(model.complete(ask()))).message, /limit of tokens/);
  });
});

test('a model without the role "system" gets the instructions in the prompt', async () => {
  const reply = ({ system, user }: { system: string; user: string }) => `(${system}) ${user}`;
  for (const lacksSystem of [
    'Developer instruction is not enabled for models/gemma-3-27b-it',
    'System role not supported',
    'Error rendering prompt with jinja template: "Only user and assistant roles are supported!".',
    "Unsupported value: 'messages[0].role' does not support 'system' with this model.",
  ]) {
    await withFake(startOpenAiChatFake({ reply, lacksSystem }), async (fake) => {
      const model = await opened('corp/m', { corp: { baseUrl: fake.origin, apiKey: CHAT_KEY } });
      for (const _ of [1, 2]) {
        assert.is((await model.complete(ask())).text, '() Be short.\n\nSay it.');
      }
      assert.is(fake.requests.length, 3, 'the refusal is remembered');
    });
  }
});

test('thoughts that a model writes into its answer are removed', async () => {
  const replies = [
    ['<think>secret plan</think>\n\nYes.', 'Yes.'],
    ['[THINK]secret plan[/THINK]Yes.', 'Yes.'],
    ['Okay, a secret plan.\n</think>\n\nYes.', 'Yes.'],
    ['<think>never ends', ''],
    [{ content: null }, ''],
    ['The tag </think> ends thoughts,\nand <think> begins them.', undefined],
  ] as const;
  for (const [written, text = written] of replies) {
    await withFake(startOpenAiChatFake({ reply: () => written }), async (fake) => {
      const model = await opened('corp/m', { corp: { baseUrl: fake.origin, apiKey: CHAT_KEY } });
      assert.is((await model.complete(ask())).text, text);
    });
  }
});

test('a model that thinks only in a stream does not think', async () => {
  const message = 'parameter.enable_thinking must be set to false for non-streaming calls';
  const error = { code: 'invalid_parameter_error', param: null, message };
  const answer = ({ body }: { readonly body: Buffer }) =>
    JSON.parse(body.toString('utf8')).enable_thinking === false
      ? { status: 200, body: { choices: [{ message: { content: 'Yes.' } }] } }
      : { status: 400, body: { error } };
  await withFake(startFake({ answer, troubleAnswers: {} }), async (fake) => {
    const model = await opened('qwen/m', { qwen: { baseUrl: fake.origin, apiKey: CHAT_KEY } });
    for (const _ of [1, 2]) assert.is((await model.complete(ask())).text, 'Yes.');
    assert.is(fake.requests.length, 3, 'the refusal is remembered');
  });
});

test('a vendor’s key goes to the vendor alone, never to an address of the configuration', () => {
  const env = { OPENAI_API_KEY: 'sk-env', ANTHROPIC_API_KEY: 'sk-ant', OLLAMA_API_KEY: 'sk-oll' };
  const place = (name: string, providers: Providers = {}) =>
    chooseChatModel(name, worldOf(providers, env)).credential.state;
  assert.is(place('openai/m'), 'found');
  assert.is(place('anthropic/m'), 'found');
  const baseUrl = 'http://elsewhere/v1';
  assert.is(place('openai/m', { openai: { baseUrl } }), 'not_needed');
  assert.is(place('anthropic/m', { anthropic: { baseUrl } }), 'not_needed');
  // Written out, it is still the vendor's own.
  assert.is(place('openai/m', { openai: { baseUrl: 'https://api.openai.com/v1/' } }), 'found');
  assert.is(place('anthropic/m', { anthropic: { baseUrl: 'https://api.anthropic.com' } }), 'found');
  assert.is(place('mistral/m'), 'missing');
  assert.is(place('Anthropic/m', { Anthropic: { api: 'anthropic', baseUrl } }), 'not_needed');
  assert.is(place('ollama/m'), 'not_needed');
  assert.is(place('ollama/m', { ollama: { baseUrl } }), 'not_needed');
  assert.is(place('ollama/m', { ollama: { baseUrl: 'https://ollama.com' } }), 'found');
});

test('a failure is reported with its code and a hint, and never with the key', async () => {
  await withFake(startOpenAiChatFake(), async (fake) => {
    const baseUrl = `${fake.origin}/v1`;
    const corp = { baseUrl, apiKey: CHAT_KEY };
    const model = await opened('corp/m', { corp });
    const cases = [
      ['key_refused', 'PROVIDER_AUTH', 'check the key from models.providers.corp.apiKey'],
      ['model_unknown', 'PROVIDER_MODEL_UNKNOWN', `check that ${baseUrl} has a model m`],
      ['quota_spent', 'PROVIDER_QUOTA', 'of the account of models.providers.corp.apiKey'],
      ['redirected', 'PROVIDER_REFUSED', ''],
    ] as const;
    for (const [trouble, code, hint] of cases) {
      fake.trouble(trouble);
      const error = await failureOf(model.complete(ask()));
      assert.is(error.code, code);
      assert.match(error.hint ?? '', hint);
      const told = JSON.stringify([error.message, error.hint, error.details, `${error.cause}`]);
      assert.not.match(told, CHAT_KEY);
    }
  });
});

test('errors of Gemini are understood behind its OpenAI-compatible endpoint, too', async () => {
  const badKey = { reason: 'API_KEY_INVALID', domain: 'googleapis.com' };
  const perDay = { violations: [{ quotaId: 'GenerateRequestsPerDayPerProjectPerModel-FreeTier' }] };
  const cases = [
    [400, 'API key not valid.', 'INVALID_ARGUMENT', badKey, 'PROVIDER_AUTH'],
    [429, 'You exceeded your quota.', 'RESOURCE_EXHAUSTED', perDay, 'PROVIDER_QUOTA'],
    [404, 'models/none is not found.', 'NOT_FOUND', {}, 'PROVIDER_MODEL_UNKNOWN'],
  ] as const;
  for (const [status, message, name, detail, code] of cases) {
    // The endpoint puts them into a list (github.com/n4ze3m/page-assist, issue 406).
    const error = { code: status, message, status: name, details: [detail] };
    const answer = () => ({ status, body: [{ error }] });
    await withFake(startFake({ answer, troubleAnswers: {} }), async (fake) => {
      const providers = { gemini: { baseUrl: `${fake.origin}/v1beta`, apiKey: CHAT_KEY } };
      const model = await opened('gemini/gemini-3-flash', providers);
      const failure = await failureOf(model.complete(ask()));
      assert.is(failure.code, code);
      assert.match(failure.message, message);
      assert.is(fake.requests.length, 1);
    });
  }
});

test('temporary failures are retried', async () => {
  await withFake(startOpenAiChatFake({ reply: () => 'Yes.' }), async (fake) => {
    const model = await opened('corp/m', { corp: { baseUrl: fake.origin, apiKey: CHAT_KEY } });
    fake.trouble('overloaded', 1);
    assert.is((await model.complete(ask())).text, 'Yes.');
    assert.is(fake.requests.length, 2);
  });
});

test('a failure in an answer of OpenRouter is one, and retried if it is temporary', async () => {
  const failures = [
    { error: { message: 'Provider returned error', code: 502 } },
    {
      choices: [
        {
          finish_reason: 'error',
          message: { role: 'assistant', content: 'Half an ans' },
          error: { message: 'Provider disconnected', code: 502 },
        },
      ],
    },
    { choices: [{ finish_reason: 'stop', message: { role: 'assistant', content: 'Yes.' } }] },
  ];
  const answer = () => ({ status: 200, body: failures.shift() });
  await withFake(startFake({ answer, troubleAnswers: {} }), async (fake) => {
    const model = await opened('corp/m', { corp: { baseUrl: fake.origin, apiKey: CHAT_KEY } });
    assert.is((await model.complete(ask())).text, 'Yes.');
    assert.is(fake.requests.length, 3);
  });
});

test('tokens are known only where the vendor counts both those it read and those it wrote', async () => {
  const choices = [{ finish_reason: 'stop', message: { role: 'assistant', content: 'Yes.' } }];
  const usages = [{ prompt_tokens: 3, completion_tokens: 4 }, { prompt_tokens: 3 }, undefined];
  const answer = () => ({ status: 200, body: { choices, usage: usages.shift() } });
  await withFake(startFake({ answer, troubleAnswers: {} }), async (fake) => {
    const model = await opened('corp/m', { corp: { baseUrl: fake.origin, apiKey: CHAT_KEY } });
    const counted: (number | undefined)[] = [];
    for (const _ of [...usages]) counted.push((await model.complete(ask())).tokens);
    assert.equal(counted, [7, undefined, undefined]);
  });
});

test('a hanging vendor is abandoned in time, and at once on abort', async () => {
  await withFake(startOpenAiChatFake(), async (fake) => {
    const model = await opened('corp/m', { corp: { baseUrl: fake.origin, apiKey: CHAT_KEY } });
    fake.trouble('slow');
    const reason = new Error('enough');
    const abort = new AbortController();
    const asked = model.complete(ask({ signal: abort.signal }));
    setImmediate(() => abort.abort(reason));
    try {
      await asked;
      assert.unreachable();
    } catch (error) {
      assert.is(error, reason);
    }
    const late = await failureOf(model.complete(ask({ timeoutMs: 30 })));
    assert.is(late.code, 'PROVIDER_TIMEOUT');
  });
});

test('an invalid answer is reported as such', async () => {
  const reply = () => ({ content: 7 });
  await withFake(startOpenAiChatFake({ reply }), async (fake) => {
    const model = await opened('corp/m', { corp: { baseUrl: fake.origin, apiKey: CHAT_KEY } });
    assert.is((await failureOf(model.complete(ask()))).code, 'PROVIDER_ANSWER_INVALID');
    fake.trouble('cut_off');
    const { code } = await failureOf(model.complete(ask()));
    assert.ok(['PROVIDER_UNREACHABLE', 'PROVIDER_ANSWER_INVALID'].includes(code), code);
  });
});

test('unknown names list the valid ones', async () => {
  const world = worldOf({});
  for (const name of ['nobody/m', 'voyage/m', 'bedrock/m', 'openai', 'openai/']) {
    const error = await failureOf(Promise.resolve().then(() => chooseChatModel(name, world)));
    assert.match(error.code, /^PROVIDER_(?:UNKNOWN|MODEL_UNKNOWN)$/);
    assert.ok(error.hint);
  }
  const missing = await failureOf(opened('mistral/m', {}));
  assert.is(missing.code, 'PROVIDER_AUTH');
  assert.match(missing.hint ?? '', /MISTRAL_API_KEY/);
});

test.run();
