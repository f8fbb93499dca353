import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type {
  AdapterSettings,
  EmbeddingAdapter,
} from '../../../src/engine/embeddings/embedding-adapter.js';
import { readOpenAiAnswer } from '../../../src/engine/providers/openai-shaped.js';
import { OPENAI_KEY, startOpenAiFake } from '../../fakes/openai.js';
import { failureOf } from '../../support/failure.js';
import { conformanceSuite, embedAll, testSettings } from './conformance.js';
import { openAdapter, openVendor } from './support.js';

const test = suite('OpenAI and compatible servers');

type Fake = Awaited<ReturnType<typeof startOpenAiFake>>;

function settingsOf(fake: Pick<Fake, 'origin'>, own: Partial<AdapterSettings> = {}) {
  return testSettings({
    adapter: 'openai',
    baseUrl: `${fake.origin}/v1`,
    credential: { value: OPENAI_KEY, source: 'env OPENAI_API_KEY' },
    ...own,
  });
}

/** Runs work with a server, and an adapter for it. */
async function withServer(
  work: (fake: Fake, adapter: EmbeddingAdapter) => Promise<void>,
  options: Parameters<typeof startOpenAiFake>[0] = {},
  own: Partial<AdapterSettings> = {},
): Promise<void> {
  const fake = await startOpenAiFake({ dimensions: 8, ...options });
  const adapter = await openAdapter(settingsOf(fake, own));
  try {
    await work(fake, adapter);
  } finally {
    await adapter.close();
    await fake.close();
  }
}

/** By OpenAI, vLLM, llama.cpp, in their older and newer releases, others, and vendors behind a gateway. */
const TOO_LONG = [
  [400, "This model's maximum context length is 512 tokens, however you requested 600 tokens."],
  [400, "Invalid 'input[1]': maximum input length is 512 tokens."],
  [400, 'The decoder prompt (length 600) is longer than the maximum model length of 512.'],
  [500, 'input is too large to process. increase the physical batch size'],
  [500, 'input (600 tokens) is too large to process. increase the physical batch size (current …)'],
  [500, 'input is larger than the max context size. skipping'],
  [400, 'request (600 tokens) exceeds the available context size (512 tokens), try increasing it'],
  [400, 'the input length exceeds the context length'],
  [400, 'input length exceeds maximum context length'],
  [422, 'Input validation error: `inputs` must have less than 512 tokens. Given: 600'],
  [400, 'Input length 600 exceeds maximum allowed token size 512'],
  [400, "The input (600 tokens) is longer than the model's context length (512 tokens)."],
  [400, 'Input length (600 tokens) exceeds the maximum allowed length (512 tokens).'],
  [400, '<400> InternalError.Algo.InvalidParameter: Range of input length should be [1, 512]'],
  [400, 'Too many tokens overall, split into more batches.'],
  [400, 'Too many tokens in batch. Max is 512 got 600'],
  [400, 'The input token count (600) exceeds the maximum number of tokens allowed (512).'],
  [
    400,
    'Unable to submit request because the input token count is 600 but model only supports up to 512. Reduce the input token count and try again.',
  ],
  [400, "Request to model 'm' failed. The max allowed tokens per submitted batch is 512. Your …"],
  [400, 'embeddings max length per batch size is 2000'],
  [400, 'Too many input tokens. Max input tokens: 512, request input token count: 600'],
  [
    429,
    'Request too large for text-embedding-3-small in organization org-1 on tokens per min (TPM): Limit 500, Requested 600. The input or output tokens must be reduced in order to run successfully.',
  ],
] as const;

test('a text that is too long for the model of a server is split', async () => {
  await withServer(async (fake, adapter) => {
    for (const [status, message] of TOO_LONG) {
      const body = { error: { code: status, message, type: 'server_error' } };
      fake.refuse((text) => text.length > 1500, { status, body });
      const before = fake.requests.length;
      const { embedded, refused } = await embedAll(adapter, [
        { text: 'short' },
        { text: 'f3'.repeat(1200) },
      ]);
      assert.equal(refused, [], message);
      assert.is(embedded.length, 2, message);
      assert.is(
        fake.requests.length - before,
        5,
        'all, each alone, and the halves of the long one',
      );
    }
  });
});

test('too many tokens for this minute are waited for, not divided', async () => {
  await withServer(async (fake, adapter) => {
    const message = 'Too many tokens, please wait before trying again.';
    let left = 1;
    fake.refuse(() => left-- > 0, { status: 429, body: { error: { message, code: '429' } } });
    const waits: unknown[] = [];
    const onEvent = ({ type }: { readonly type: string }) => void waits.push(type);
    const texts = [{ text: 'one' }, { text: 'two' }];
    const { embedded } = await embedAll(adapter, texts, { onEvent });
    assert.is(embedded.length, 2);
    assert.is(fake.requests.length, 2);
    assert.ok(waits.includes('rate.limited'));
  });
});

/** By text-embeddings-inference, SiliconFlow, Alibaba, Azure, Cohere, Google, Baidu, Zhipu (in two languages) and Volcengine. */
const TOO_MANY = [
  [422, 'batch size 25 > maximum allowed batch size 10'],
  [413, 'input batch size 25 > maximum allowed batch size 10'],
  [
    400,
    '<400> InternalError.Algo.InvalidParameter: Value error, batch size is invalid, it should not be larger than 10.: input.contents',
  ],
  [400, 'Too many inputs. The max number of inputs is 10.  We hope to increase the number.'],
  [400, 'invalid request: total number of texts must be at most 10 - received 25'],
  [400, '* BatchEmbedContentsRequest.requests: at most 10 requests can be in one batch'],
  [400, 'embeddings max batch size is 10, and can not be 0'],
  [400, 'input数组最大不得超过10条'],
  [400, 'input array max 10'],
  [400, 'Embeddings API input limit exceeded: max 10, got 25.'],
] as const;

test('a request with more texts than a server takes is divided, and later ones have no more', async () => {
  for (const [status, message] of TOO_MANY) {
    await withServer(
      async (fake, adapter) => {
        fake.takeAtMost(10, { status, body: { error: { message, type: 'Validation' } } });
        const inputs = Array.from({ length: 150 }, (_, at) => ({ text: `note ${at}` }));
        const { embedded, refused } = await embedAll(adapter, inputs);
        assert.equal(refused, [], message);
        assert.is(embedded.length, 150, message);
        assert.is(fake.requests.length, 1 + 13 + 3, 'all, its parts, and those of the next');
      },
      {},
      { concurrency: 1 },
    );
  }
});

test('a number of texts, or a text, that a server refuses in unknown words is divided', async () => {
  await withServer(async (fake, adapter) => {
    const body = { errors: [{ code: 5006, message: 'AiError: 4711' }], success: false };
    fake.takeAtMost(10, { status: 400, body });
    fake.refuse((text) => text.length > 1500, { status: 400, body });
    const inputs = Array.from({ length: 30 }, (_, at) => ({ text: `note ${at}` }));
    const { embedded, refused } = await embedAll(adapter, [...inputs, { text: 'f3'.repeat(1200) }]);
    assert.equal([embedded.length, refused], [31, []]);
  });
});

test('a request that is wrong for any text fails, and is sent once more at most', async () => {
  await withServer(async (fake, adapter) => {
    const body = { errors: [{ code: 5006, message: 'AiError: 4711' }], success: false };
    await adapter.embedQuery('a question that is answered');
    fake.refuse(() => true, { status: 400, body });
    const failure = await failureOf(embedAll(adapter, [{ text: 'one' }, { text: 'two' }]));
    assert.is(failure.code, 'PROVIDER_REFUSED');
    assert.match(failure.message, 'AiError: 4711');
    assert.is(fake.requests.length, 3);
  });
});

/** By LiteLLM, a gateway of a company, and OpenRouter in two forms. */
const WITHOUT_BASE64 = [
  [
    400,
    {
      error: {
        message:
          "litellm.UnsupportedParamsError: vertex_ai does not support parameters: {'encoding_format': 'base64'}, for model=gemini-embedding-001.",
        code: '400',
      },
    },
  ],
  [400, { errorMessage: 'An error occurred while reading the response body' }],
  [422, { detail: [{ loc: ['body', 'encoding_format'], msg: 'Extra inputs are not permitted' }] }],
  [200, { object: 'list', data: [], usage: { prompt_tokens: 0, total_tokens: 0 } }],
  [200, { object: 'list', data: [{ index: 0, embedding: '' }] }],
] as const;

test('a server without base64 is asked for numbers', async () => {
  for (const [status, body] of WITHOUT_BASE64) {
    await withServer(
      async (fake, adapter) => {
        for (const text of ['first', 'second', 'third']) await adapter.embedQuery(text);
        assert.is(fake.requests.length, 4, 'only the first one is asked again');
      },
      { withoutBase64: { status, body } },
    );
  }
});

test('the setting that a server misses or refuses is named', async () => {
  await withServer(async (fake, adapter) => {
    const refusals = [
      [{ error: "'input_type' parameter is required for asymmetric models" }, /queryInputType/],
      [{ message: 'Model "m" does not support matryoshka representation, …' }, /outputDimension/],
      [{ message: 'dimensions is currently not supported' }, /outputDimension/],
      [{ error: 'Unrecognized request argument supplied: input_type' }, /documentInputType/],
    ] as const;
    for (const [body, named] of refusals) {
      fake.refuse(() => true, { status: 400, body });
      const { code, hint } = await failureOf(adapter.embedQuery('anything'));
      assert.is(code, 'PROVIDER_REFUSED');
      assert.match(hint ?? '', named);
    }
    assert.is(fake.requests.length, refusals.length, 'none is asked again');
  });
});

test('a hint names a provider with a blank in its name as a shell reads it', async () => {
  await withServer(
    async (fake, adapter) => {
      fake.refuse(() => true, { status: 401, body: { error: { message: 'no' } } });
      const { hint } = await failureOf(adapter.embedQuery('anything'));
      assert.match(hint ?? '', `test it with "svc provider test 'our own'"`);
    },
    {},
    { provider: 'our own' },
  );
});

test('a server that was started without embeddings is not asked again', async () => {
  await withServer(async (fake, adapter) => {
    const message = 'This server does not support embeddings. Start it with `--embeddings`';
    const body = { error: { code: 501, message, type: 'not_supported_error' } };
    fake.refuse(() => true, { status: 501, body });
    const failure = await failureOf(embedAll(adapter, [{ text: 'anything' }]));
    assert.is(failure.code, 'PROVIDER_NOT_SET_UP');
    assert.match(failure.message, '501 This server does not support embeddings. Start it with');
    assert.is(fake.requests.length, 1);
  });
});

test('texts about the tokens of OpenAI are embedded, too', async () => {
  await withServer(async (fake, adapter) => {
    const text = 'documents end with <|endoftext|>, holes with <|fim_suffix|>; a || b <| c';
    assert.is((await embedAll(adapter, [{ text }])).embedded.length, 1);
    assert.equal(fake.inlineTexts, [
      'documents end with <| endoftext|>, holes with <| fim_suffix|>; a || b <| c',
    ]);
  });
});

/** By Azure, Alibaba's Model Studio, and Ollama's OpenAI-compatible API. */
const REFUSED_TEXTS = [
  [
    400,
    {
      message:
        "The response was filtered due to the prompt triggering Azure OpenAI's content management policy. Please modify your prompt and retry.",
      type: null,
      param: 'prompt',
      code: 'content_filter',
      status: 400,
      innererror: { code: 'ResponsibleAIPolicyViolation' },
    },
  ],
  [
    400,
    {
      message: 'Input data may contain inappropriate content.',
      type: 'data_inspection_failed',
      param: null,
      code: 'data_inspection_failed',
    },
  ],
  [500, { message: 'failed to encode response: json: unsupported value: NaN', type: 'api_error' }],
] as const;

test('a text that a filter refuses, or a model fails on, is left out alone', async () => {
  await withServer(async (fake, adapter) => {
    for (const [status, error] of REFUSED_TEXTS) {
      fake.refuse((text) => text.includes('bad'), { status, body: { error } });
      const texts = ['one', 'a bad one', 'three', 'four'].map((text) => ({ text }));
      const { embedded, refused } = await embedAll(adapter, texts);
      assert.is(embedded.length, 3, error.message);
      assert.equal(
        refused.map(({ input, why }) => [input.text, why]),
        [['a bad one', error.message]],
      );
    }
  });
});

test('a text on which a model of Ollama crashes is divided', async () => {
  await withServer(async (fake, adapter) => {
    for (const [status, message] of [
      [400, 'EOF'],
      [500, 'do embedding request: Post "http://127.0.0.1:33967/embedding": EOF'],
    ] as const) {
      const error = { message, type: 'api_error', param: null, code: null };
      fake.refuse((text) => text.length > 4000, { status, body: { error } });
      const texts = [{ text: 'short' }, { text: '0123456789 '.repeat(600) }];
      const { embedded, refused } = await embedAll(adapter, texts);
      assert.equal([embedded.length, refused.length], [2, 0], message);
    }
  });
});

test('OpenRouter reports with status 200 that no provider has answered, and is asked again', async () => {
  await withServer(async (fake, adapter) => {
    const error = { message: 'No successful provider responses.', code: 404 };
    let left = 2;
    fake.refuse(() => left-- > 0, { status: 200, body: { error } });
    assert.is((await embedAll(adapter, [{ text: 'one' }])).embedded.length, 1);
    assert.is(fake.requests.length, 3);
    const spent = { message: 'Insufficient credits', code: 402 };
    fake.refuse(() => true, { status: 200, body: { error: spent } });
    assert.is((await failureOf(adapter.embedQuery('one'))).code, 'PROVIDER_QUOTA');
    assert.is(fake.requests.length, 4);
  });
});

test('vectors are in the order of their texts if a server numbers all alike, or from another request on', async () => {
  const answer = (indexes: readonly number[]) => ({
    status: 200,
    headers: {},
    body: Buffer.from(
      JSON.stringify({ data: indexes.map((index, at) => ({ index, embedding: [at, 1] })) }),
    ),
  });
  const orderOf = (...indexes: number[]) =>
    readOpenAiAnswer(answer(indexes)).vectors.map(([first]) => first);
  assert.equal(orderOf(0, 0, 0), [0, 1, 2]);
  assert.equal(orderOf(4, 5, 6), [0, 1, 2]);
  assert.equal(orderOf(2, 0, 1), [1, 2, 0]);
  for (const wrong of [
    [0, 0, 1],
    [0, 2, 3],
    [1, 2, 2],
  ]) {
    assert.throws(() => orderOf(...wrong), /wrong index/);
  }
});

test('a model that the project of the key has no access to is reported as such', async () => {
  await withServer(async (fake, adapter) => {
    const message = 'Project `proj_1` does not have access to model `text-embedding-3-small`';
    const error = { message, type: 'invalid_request_error', param: null, code: 'model_not_found' };
    fake.refuse(() => true, { status: 403, body: { error } });
    const { code, hint } = await failureOf(adapter.embedQuery('anything'));
    assert.is(code, 'PROVIDER_MODEL_UNKNOWN');
    assert.match(hint ?? '', /^check memorySearch\.model \(text-embedding-3-small\)/);
  });
});

test.run();

conformanceSuite({
  name: 'openai',
  startFake: () => startOpenAiFake({ dimensions: 256 }),
  settings: settingsOf,
  createVendor: openVendor,
  secret: OPENAI_KEY,
  dimensions: 256,
});
