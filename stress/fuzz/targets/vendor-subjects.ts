import type { AdapterSettings } from '../../../src/engine/embeddings/embedding-adapter.js';
import { AWS_KEYS, startBedrockFake } from '../../../test/fakes/bedrock.js';
import { DEEPINFRA_KEY, startDeepInfraFake } from '../../../test/fakes/deepinfra.js';
import type { FakeVendor } from '../../../test/fakes/fake-vendor.js';
import { GEMINI_KEY, startGeminiFake } from '../../../test/fakes/gemini.js';
import { GITHUB_TOKEN, startCopilotFake } from '../../../test/fakes/github-copilot.js';
import { LMSTUDIO_KEY, startLmStudioFake } from '../../../test/fakes/lmstudio.js';
import { MISTRAL_KEY, startMistralFake } from '../../../test/fakes/mistral.js';
import { OLLAMA_KEY, startOllamaFake } from '../../../test/fakes/ollama.js';
import { OPENAI_KEY, startOpenAiFake } from '../../../test/fakes/openai.js';
import { startVoyageFake, VOYAGE_KEY } from '../../../test/fakes/voyage.js';
import { startVoyageBatchFake } from '../../../test/fakes/voyage-batch.js';

/** A vendor with its fake and its adapter. */
export interface Subject {
  readonly start: () => Promise<FakeVendor>;
  readonly adapter: AdapterSettings['adapter'];
  /** Path appended to the origin. */
  readonly path: string;
  readonly secret: string;
  readonly model?: string;
}

/** All vendors by name; Bedrock by model family. */
export const SUBJECTS = {
  openai: {
    start: () => startOpenAiFake({ dimensions: 16 }),
    adapter: 'openai',
    path: '/v1',
    secret: OPENAI_KEY,
  },
  voyage: {
    start: () => startVoyageFake({ dimensions: 16 }),
    adapter: 'voyage',
    path: '/v1',
    secret: VOYAGE_KEY,
  },
  'voyage-batch': {
    start: () => startVoyageBatchFake(16),
    adapter: 'voyage',
    path: '/v1',
    secret: VOYAGE_KEY,
  },
  gemini: {
    start: () => startGeminiFake({ dimensions: 128 }),
    adapter: 'gemini',
    path: '/v1beta',
    secret: GEMINI_KEY,
  },
  mistral: {
    start: () => startMistralFake({ dimensions: 16 }),
    adapter: 'mistral',
    path: '/v1',
    secret: MISTRAL_KEY,
  },
  deepinfra: {
    start: () => startDeepInfraFake({ dimensions: 16 }),
    adapter: 'deepinfra',
    path: '/v1/openai',
    secret: DEEPINFRA_KEY,
  },
  ollama: {
    start: () => startOllamaFake({ dimensions: 16, locked: true }),
    adapter: 'ollama',
    path: '',
    secret: OLLAMA_KEY,
  },
  lmstudio: {
    start: () => startLmStudioFake({ dimensions: 16, locked: true }),
    adapter: 'lmstudio',
    path: '/v1',
    secret: LMSTUDIO_KEY,
  },
  copilot: {
    start: () => startCopilotFake({ dimensions: 16 }),
    adapter: 'github-copilot',
    path: '/copilot',
    secret: GITHUB_TOKEN,
  },
  titan: {
    start: startBedrockFake,
    adapter: 'bedrock',
    path: '',
    secret: AWS_KEYS.AWS_SECRET_ACCESS_KEY,
    model: 'amazon.titan-embed-text-v2:0',
  },
  cohere: {
    start: startBedrockFake,
    adapter: 'bedrock',
    path: '',
    secret: AWS_KEYS.AWS_SECRET_ACCESS_KEY,
    model: 'cohere.embed-v4:0',
  },
  nova: {
    start: startBedrockFake,
    adapter: 'bedrock',
    path: '',
    secret: AWS_KEYS.AWS_SECRET_ACCESS_KEY,
    model: 'amazon.nova-2-multimodal-embeddings-v1:0',
  },
  marengo: {
    start: startBedrockFake,
    adapter: 'bedrock',
    path: '',
    secret: AWS_KEYS.AWS_SECRET_ACCESS_KEY,
    model: 'twelvelabs.marengo-embed-3-0-v1:0',
  },
} as const satisfies Readonly<Record<string, Subject>>;
export type SubjectName = keyof typeof SUBJECTS;
export const SUBJECT_NAMES = Object.keys(SUBJECTS).filter((name): name is SubjectName =>
  Object.hasOwn(SUBJECTS, name),
);
