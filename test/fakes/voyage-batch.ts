import * as z from 'zod/mini';
import { BatchFiles } from './batch-files.js';
import { base64Vector, type FakeAnswer, type FakeVendor, startFake } from './fake-vendor.js';
import { meaningOf } from './meaning.js';
import { VOYAGE_KEY } from './voyage.js';

/** Models that the page "Batch Inference" lists. */
const MODELS = [
  'voyage-4-large',
  'voyage-4',
  'voyage-4-lite',
  'voyage-3-large',
  'voyage-3.5',
  'voyage-3.5-lite',
  'voyage-code-3',
  'voyage-code-2',
] as const;

/** The fields that hold for all texts of a job: those of an inline request except `input`. */
const paramsSchema = z.strictObject({
  model: z.enum(MODELS),
  input_type: z.optional(z.nullable(z.enum(['query', 'document']))),
  truncation: z.optional(z.boolean()),
  output_dimension: z.optional(z.nullable(z.literal([256, 512, 1024, 2048]))),
  output_dtype: z.optional(z.enum(['float', 'int8', 'uint8', 'binary', 'ubinary'])),
  encoding_format: z.optional(z.nullable(z.literal('base64'))),
});

/** `POST /batches` of docs.voyageai.com, "Batch Inference" and its reference pages. */
const jobSchema = z.strictObject({
  input_file_id: z.string(),
  endpoint: z.literal('/v1/embeddings'),
  completion_window: z.literal('12h'),
  request_params: paramsSchema,
  metadata: z.optional(
    z.record(z.string(), z.string()).check(z.refine((pairs) => Object.keys(pairs).length <= 16)),
  ),
});

const lineSchema = z.strictObject({
  custom_id: z.string().check(z.minLength(1)),
  body: z.strictObject({ input: z.string().check(z.minLength(1)) }),
});

/**
 * Voyage's files and batch jobs: OpenAI's, with dates as text, without the state `expired`, and with
 * its own lines for what failed.
 *
 * @param dimensions of vectors where a job does not say
 */
function voyageBatches(dimensions: number): BatchFiles {
  return new BatchFiles({
    failure,
    maxLines: 100_000,
    checkJob: (body) => void jobSchema.parse(body),
    readLine: (json) => {
      const { custom_id: id, body } = lineSchema.parse(json);
      return { id, text: body.input };
    },
    date: () => new Date().toISOString(),
    embedded: ({ id, text }, job, broken) => {
      const { request_params: params } = jobSchema.parse(job.request);
      const vector = meaningOf(text, params.output_dimension ?? dimensions);
      if (broken) vector[0] = Number.NaN;
      const embedding = params.encoding_format === 'base64' ? base64Vector(vector) : [...vector];
      const data = [{ object: 'embedding', embedding, index: 0 }];
      const body = { object: 'list', data, model: params.model, usage: { total_tokens: 1 } };
      return { batch_id: job.id, custom_id: id, response: { status_code: 200, body }, error: null };
    },
    refused: ({ id }, job) => {
      const response = { status_code: 400, message: 'This line is bad.' };
      return { batch_id: job.id, custom_id: id, response, error: null };
    },
    withoutAnswer: ({ id }, job, code) => {
      const error = { code, message: 'This request was not executed.' };
      return { batch_id: job.id, custom_id: id, response: null, error };
    },
  });
}

/** A running fake of Voyage's batch API alone. */
export interface VoyageBatchFake extends FakeVendor {
  readonly batch: BatchFiles;
}

export async function startVoyageBatchFake(dimensions: number): Promise<VoyageBatchFake> {
  const batch = voyageBatches(dimensions);
  const fake = await startFake({
    answer: async (request) => {
      if (request.headers.authorization !== `Bearer ${VOYAGE_KEY}`) {
        return failure(401, 'Provided API key is invalid.');
      }
      return (await batch.answer(request)) ?? failure(404, 'Not Found');
    },
    troubleAnswers: { overloaded: failure(503, 'Unavailable.') },
  });
  return { ...fake, batch };
}

function failure(status: number, message: string): FakeAnswer {
  return { status, body: { detail: message } };
}
